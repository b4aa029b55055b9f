import glob
import gzip
import os
import pathlib
import shutil
import tempfile

os.makedirs("data/in", exist_ok=True)
with open("data/in/a.json", "w") as f:
    print('{"a": 1}', file=f)
    f.write("second\n")
with open("data/in/a.json", "a") as f:
    f.write("third\n")
with open("data/in/a.json") as f:
    print(f.read().splitlines())
print([line.strip() for line in open("data/in/a.json")])
print(os.listdir("data/in"), os.path.exists("data/in/a.json"), os.path.getsize("data/in/a.json"), os.getcwd())
path = pathlib.Path("data") / "in" / "b.txt"
path.write_text("hello\n")
print(path.read_text(), path.name, path.suffix, path.exists(), sorted(p.name for p in path.parent.iterdir()))
pathlib.Path("data/deep/er").mkdir(parents=True)
print(sorted(glob.glob("data/**/*.txt", recursive=True)), [p.as_posix() for p in pathlib.Path("data").rglob("*.json")])
shutil.copy("data/in/b.txt", "data/c.txt")
os.rename("data/c.txt", "data/d.txt")
print(sorted(os.walk("data")))
shutil.rmtree("data/deep")
os.remove("data/d.txt")
with gzip.open("data/z.gz", "wt") as f:
    f.write("packed")
print(gzip.open("data/z.gz", "rt").read())
with tempfile.TemporaryDirectory() as folder:
    open(os.path.join(folder, "x.bin"), "wb").write(b"\x00\x01")
    print(open(os.path.join(folder, "x.bin"), "rb").read(), os.path.isdir(folder))
print(os.path.isdir(folder), os.environ["HOME"], os.environ.get("NO"))
try:
    open("nowhere/x")
except FileNotFoundError as e:
    print(e, e.errno, e.filename)
try:
    os.mkdir("data")
except FileExistsError as e:
    print(type(e).__name__, e)
with open("data/u.txt", "w", encoding="utf-8") as f:
    f.write("grün ✓\n")
print(open("data/u.txt", "rb").read(), open("data/u.txt").read().strip())
