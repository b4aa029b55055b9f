# aes_encrypt and aes_decrypt in their modes, with and without vectors and authenticated data, and what each refuses.
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.appName("ciphers").master("local[2]").getOrCreate()
key, iv16, iv12 = "0000111122223333", "X'000102030405060708090A0B0C0D0E0F'", "X'000102030405060708090A0B'"


def show(label, text):
    try:
        df = spark.sql(f"SELECT {text}")
        print(label, "|", df.columns[0], "|", df.schema[0].dataType.simpleString(), df.schema[0].nullable, "|", df.first()[0])
    except Exception as e:
        print(label, "|", type(e).__name__, "|", str(e).splitlines()[0])


for size, secret in [(128, key), (192, key + "44445555"), (256, key * 2)]:
    show(f"ecb {size}", f"hex(aes_encrypt('Spark', '{secret}', 'ECB'))")
    show(f"cbc {size}", f"hex(aes_encrypt('Sixteen bytes ok', '{secret}', 'cbc', 'PKCS', {iv16}))")
    show(f"gcm {size}", f"hex(aes_encrypt('Spark SQL streams', '{secret}', 'GCM', 'NONE', {iv12}))")
show("gcm aad", f"hex(aes_encrypt('Spark', '{key}', 'GCM', 'DEFAULT', {iv12}, 'who'))")
show("empty text", f"hex(aes_encrypt('', '{key}', 'CBC', 'DEFAULT', {iv16}))")
show("lengths", f"array(length(aes_encrypt('Spark', '{key}')), length(aes_encrypt('Spark', '{key}', 'CBC')), length(aes_encrypt('Spark', '{key}', 'ECB')))")
show("name", f"aes_encrypt('Spark', '{key}', 'ECB')")
show("there and back", f"string(aes_decrypt(aes_encrypt('Ünïcode', '{key}'), '{key}'))")
show("back, cbc", f"string(aes_decrypt(aes_encrypt('x', '{key}', 'CBC'), '{key}', 'CBC'))")
show("back, aad", f"string(aes_decrypt(aes_encrypt('x', '{key}', 'GCM', 'DEFAULT', '', 'who'), '{key}', 'GCM', 'DEFAULT', 'who'))")
show("other aad", f"string(aes_decrypt(aes_encrypt('x', '{key}', 'GCM', 'DEFAULT', {iv12}, 'who'), '{key}', 'GCM', 'DEFAULT', 'me'))")
show("try, other aad", f"try_aes_decrypt(aes_encrypt('x', '{key}', 'GCM', 'DEFAULT', {iv12}, 'who'), '{key}', 'GCM', 'DEFAULT', 'me')")
show("try name", f"try_aes_decrypt(X'00', '{key}', 'ECB')")
show("null text", f"aes_encrypt(NULL, '{key}')")
show("null mode", f"aes_encrypt('a', '{key}', NULL)")
show("key of 15", "aes_encrypt('a', '000011112222333')")
show("no such mode", f"aes_encrypt('a', '{key}', 'CTR')")
show("no such padding", f"aes_encrypt('a', '{key}', 'gcm', 'PKCS')")
show("vector in ecb", f"aes_encrypt('a', '{key}', 'ECB', 'PKCS', X'00')")
show("short vector, cbc", f"aes_encrypt('a', '{key}', 'CBC', 'PKCS', X'00')")
show("short vector, gcm", f"aes_encrypt('a', '{key}', 'GCM', 'NONE', X'00')")
show("aad in cbc", f"aes_encrypt('a', '{key}', 'CBC', 'PKCS', {iv16}, 'who')")
show("aad in ecb", f"aes_decrypt('a', '{key}', 'ECB', 'PKCS', 'who')")
show("ecb, odd length", f"aes_decrypt(X'00', '{key}', 'ECB')")
show("ecb, wrong key", f"aes_decrypt(aes_encrypt('Spark', '{key}', 'ECB'), '1111222233334444', 'ECB')")
show("try, key of 15", "try_aes_decrypt(X'00', '000011112222333')")
show("number", f"aes_encrypt(array(1), '{key}')")
show("one argument", "aes_encrypt('a')")
df = spark.createDataFrame([("one", key, "ECB"), (None, key, "ECB"), ("three", key, "ECB")], "t string, k string, m string")
df.select("t", F.hex(F.aes_encrypt("t", "k", "m")).alias("hidden"), F.aes_decrypt(F.aes_encrypt("t", "k", "m"), "k", "m").cast("string").alias("back")).show(truncate=False)
print(df.select(F.aes_encrypt("t", "k"), F.aes_decrypt("t", "k", F.lit("CBC")), F.try_aes_decrypt("t", "k")).columns)
