"""Functions whose call is plain: one a line, `name[=[!]function] parameter...`.

`function` is its name in the registry where that differs; `!` means DISTINCT. A parameter is
`name[:kind][?][=default]`: without a kind a Column or a column's name; `l` a literal (a Column passes); `n` like a
column, but a whole number is a literal; `m` the same for any number. `?` is left out when None; a default is a
literal, in which `~` stands for a space.
"""

TABLE = """\
sqrt col
try_add left right
try_avg col
try_divide left right
try_mod left right
try_multiply left right
try_subtract left right
try_sum col
abs col
mode col deterministic:l=False
max col
min col
max_by col ord k:l?
min_by col ord k:l?
count col
sum col
avg col
mean=avg col
median col
sum_distinct=!sum col
listagg col delimiter:l?
listagg_distinct=!listagg col delimiter:l?
string_agg col delimiter:l?
string_agg_distinct=!string_agg col delimiter:l?
product col
acos col
acosh col
asin col
asinh col
atan col
atanh col
cbrt col
ceil col scale:n?
ceiling col scale:n?
cos col
cosh col
cot col
csc col
e
exp col
expm1 col
floor col scale:n?
log10 col
log1p col
negative col
negate=negative col
pi
positive col
rint col
sec col
signum col
sign col
sin col
sinh col
tan col
tanh col
bitwise_not=~ col
bit_count col
bit_get col pos
getbit col pos
stddev col
std col
stddev_samp col
stddev_pop col
variance col
var_samp col
var_pop col
regr_avgx y x
regr_avgy y x
regr_count y x
regr_intercept y x
regr_r2 y x
regr_slope y x
regr_sxx y x
regr_sxy y x
regr_syy y x
every col
bool_and col
some col
bool_or col
bit_and col
bit_or col
bit_xor col
skewness col
kurtosis col
collect_list col
array_agg col
collect_set col
collect_union col
degrees col
radians col
atan2 col1:m col2:m
hypot col1:m col2:m
pow=power col1:m col2:m
power col1:m col2:m
pmod dividend:m divisor:m
width_bucket v min max numBucket:n
row_number
dense_rank
rank
counter_diff value startTime?
cume_dist
percent_rank
approx_count_distinct col rsd:l?
corr col1 col2
covar_pop col1 col2
covar_samp col1 col2
first col ignorenulls:l=False
grouping col
count_min_sketch col eps:l confidence:l seed:l?
input_file_name
isnan=isNaN col
isnull=isNull col
last col ignorenulls:l=False
monotonically_increasing_id
nanvl col1 col2
percentile col percentage:l frequency:l=1
percentile_approx col percentage:l accuracy:l=10000
approx_percentile col percentage:l accuracy:l=10000
round col scale:n?
bround col scale:n?
shiftleft col numBits:l
shiftright col numBits:l
shiftrightunsigned col numBits:l
spark_partition_id
ln col
log2 col
conv col fromBase:l toBase:l
factorial col
lag col offset:l=1 default:l=None
lead col offset:l=1 default:l=None
nth_value col offset:l ignoreNulls:l=False
count_if col
histogram_numeric col nBins
curdate
current_date
current_timezone
current_time precision:l?
current_timestamp
now
localtimestamp
date_format date format:l
year col
quarter col
month col
dayofweek col
dayofmonth col
day col
dayofyear col
hour col
minute col
second col
weekofyear col
weekday col
monthname col
dayname col
extract field source
date_part field source
datepart field source
make_date year month day
date_add start days:n
dateadd start days:n
date_sub start days:n
datediff end start
date_diff end start
date_from_unix_date days
add_months start months:n
months_between date1 date2 roundOff:l=True
to_date col format:l?
try_to_date col format:l?
unix_date col
unix_micros col
unix_millis col
unix_nanos col
unix_seconds col
to_time str format?
to_timestamp col format:l?
try_to_time str format?
try_to_timestamp col format?
xpath xml path
xpath_boolean xml path
xpath_double xml path
xpath_number xml path
xpath_float xml path
xpath_int xml path
xpath_long xml path
xpath_short xml path
xpath_string xml path
trunc date format:l
date_trunc format:l timestamp
next_day date dayOfWeek:l
last_day date
from_unixtime timestamp format:l='yyyy-MM-dd~HH:mm:ss'
from_utc_timestamp timestamp tz:l
to_utc_timestamp timestamp tz:l
timestamp_seconds col
time_diff unit start end
time_trunc unit time
timestamp_millis col
timestamp_micros col
timestamp_nanos col
timestamp_diff=timestampdiff unit:l start end
timestamp_add=timestampadd unit:l quantity ts
time_bucket bucket_size ts origin?
window_time windowColumn
to_unix_timestamp timestamp format?
to_timestamp_ltz timestamp format?
to_timestamp_ntz timestamp format?
current_catalog
current_path
current_database
current_schema
current_user
user
session_user
crc32 col
md5 col
sha1 col
upper col
lower col
ascii col
base64 col
to_base32 col
unbase64 col
from_base32 col
decode col charset:l
encode col charset:l
is_valid_utf8 str
make_valid_utf8 str
validate_utf8 str
try_validate_utf8 str
format_number col d:l
instr str substr:l start:l? occurrence:l?
overlay src replace pos:n len:n=-1
sentences string language='' country=''
substring str pos:n len:n
substring_index str delim:l count:l
levenshtein left right threshold:l?
jaro_winkler_similarity left right
locate substr:l str pos:l=1
lpad col len:l pad:l
rpad col len:l pad:l
repeat col n:n
split str pattern:l limit:n=-1
rlike str regexp
regexp str regexp
regexp_like str regexp
randstr length:l seed:l?
regexp_count str regexp
regexp_extract str pattern:l idx:l
regexp_extract_all str regexp idx:l?
regexp_replace string pattern:l replacement:l position:l?
regexp_substr str regexp
regexp_instr str regexp idx:l?
initcap col
soundex col
bin col
hex col
unhex col
uniform min:l max:l seed:l?
length col
octet_length col
bit_length col
translate srcCol matching:l replace:l
to_binary col format?
to_char col format
to_varchar col format
to_number col format
replace src search replace?
split_part src delimiter partNum
substr str pos len?
try_parse_url url partToExtract key?
parse_url url partToExtract key?
url_decode str
try_url_decode str
url_encode str
position substr str start?
endswith str suffix
startswith str prefix
char col
chr col
btrim str trim?
char_length str
character_length str
try_to_binary col format?
try_to_number col format
contains left right
find_in_set str str_array
like str pattern escapeChar?
ilike str pattern escapeChar?
lcase str
ucase str
left str len
right str len
mask col upperChar='X' lowerChar='x' digitChar='n' otherChar=None
collate col collation:l
collation col
quote col
map_from_arrays col1 col2
array_contains col value:l
arrays_overlap a1 a2
slice x start:n length:n
array_join col delimiter:l null_replacement:l?
array_position col value:l
element_at col extraction:l
try_element_at col extraction
get col index:n
array_prepend col value:l
array_remove col element:l
array_distinct col
array_insert arr pos:n value:l
array_intersect col1 col2
array_union col1 col2
array_except col1 col2
array_compact col
array_append col value:l
explode col
posexplode col
inline col
explode_outer col
posexplode_outer col
inline_outer col
get_json_object col path:l
try_parse_json col
to_variant_object col
parse_json col
is_variant_null v
is_valid_variant v
variant_insert v path:l value
try_variant_insert v path:l value
variant_set v path:l value create_if_missing:l=True
try_variant_set v path:l value create_if_missing:l=True
variant_array_append v path:l value
try_variant_array_append v path:l value
variant_strip_nulls v include_arrays:l=True
schema_of_variant v
schema_of_variant_agg v
json_array_length col
json_object_keys col
size col
array_min col
array_max col
array_size col
cardinality col
sort_array col asc:l=True
reverse col
flatten col
map_contains_key col value:l
map_keys col
map_values col
map_entries col
map_from_entries col
array_repeat col count:n
sequence start stop step?
str_to_map text pairDelim=',' keyValueDelim=':'
convert_timezone sourceTz targetTz sourceTs
make_dt_interval days=0 hours=0 mins=0 secs=Decimal('0')
try_make_interval years=0 months=0 weeks=0 days=0 hours=0 mins=0 secs=Decimal('0')
make_interval years=0 months=0 weeks=0 days=0 hours=0 mins=0 secs=Decimal('0')
make_time hour minute second
time_from_seconds col
time_from_millis col
time_from_micros col
time_to_seconds col
time_to_millis col
time_to_micros col
make_timestamp_ltz years months days hours mins secs timezone?
try_make_timestamp_ltz years months days hours mins secs timezone?
make_ym_interval years=0 months=0
st_geogfromwkb wkb
st_geomfromwkb wkb srid:n?
st_setsrid geo srid:n
st_srid geo
unwrap_udt col
hll_sketch_agg col lgConfigK:l?
hll_union_agg col allowDifferentLgConfigK:l?
hll_sketch_estimate col
hll_union col1 col2 allowDifferentLgConfigK:l?
theta_sketch_agg col lgNomEntries:l?
theta_union_agg col lgNomEntries:l?
theta_intersection_agg col
tuple_sketch_agg_double key summary lgNomEntries:l=12 mode:l='sum'
tuple_sketch_agg_integer key summary lgNomEntries:l=12 mode:l='sum'
tuple_union_agg_double col lgNomEntries:l=12 mode:l='sum'
tuple_union_agg_integer col lgNomEntries:l=12 mode:l='sum'
tuple_intersection_agg_double col mode:l?
tuple_intersection_agg_integer col mode:l?
kll_sketch_agg_bigint col k:l?
kll_sketch_agg_float col k:l?
kll_sketch_agg_double col k:l?
kll_merge_agg_bigint col k:l?
kll_merge_agg_float col k:l?
kll_merge_agg_double col k:l?
kll_sketch_to_string_bigint col
kll_sketch_to_string_float col
kll_sketch_to_string_double col
kll_sketch_get_n_bigint col
kll_sketch_get_n_float col
kll_sketch_get_n_double col
kll_sketch_merge_bigint left right
kll_sketch_merge_float left right
kll_sketch_merge_double left right
kll_sketch_get_quantile_bigint sketch rank
kll_sketch_get_quantile_float sketch rank
kll_sketch_get_quantile_double sketch rank
kll_sketch_get_rank_bigint sketch quantile
kll_sketch_get_rank_float sketch quantile
kll_sketch_get_rank_double sketch quantile
theta_sketch_estimate col
theta_union col1 col2 lgNomEntries:l?
theta_intersection col1 col2
theta_difference col1 col2
tuple_sketch_estimate_double col
tuple_sketch_estimate_integer col
tuple_sketch_summary_double col mode:l?
tuple_sketch_summary_integer col mode:l?
tuple_sketch_theta_double col
tuple_sketch_theta_integer col
tuple_union_double col1 col2 lgNomEntries:l=12 mode:l='sum'
tuple_union_integer col1 col2 lgNomEntries:l=12 mode:l='sum'
tuple_intersection_double col1 col2 mode:l?
tuple_intersection_integer col1 col2 mode:l?
tuple_difference_double col1 col2
tuple_difference_integer col1 col2
tuple_difference_theta_double col1 col2
tuple_difference_theta_integer col1 col2
tuple_intersection_theta_double col1 col2 mode:l?
tuple_intersection_theta_integer col1 col2 mode:l?
tuple_union_theta_double col1 col2 lgNomEntries:l=12 mode:l='sum'
tuple_union_theta_integer col1 col2 lgNomEntries:l=12 mode:l='sum'
ifnull col1 col2
isnotnull col
equal_null col1 col2
nullif col1 col2
nullifzero col
nvl col1 col2
nvl2 col1 col2 col3
zeroifnull col
hmac key message algorithm?
aes_encrypt input key mode='GCM' padding='DEFAULT' iv='' aad=''
aes_decrypt input key mode='GCM' padding='DEFAULT' aad=''
try_aes_decrypt input key mode='GCM' padding='DEFAULT' aad=''
sha col
input_file_block_length
input_file_block_start
version
typeof col
bitmap_bit_position col
bitmap_bucket_number col
bitmap_construct_agg col
bitmap_count col
bitmap_or_agg col
bitmap_and_agg col
vector_cosine_similarity left right
vector_inner_product left right
vector_l2_distance left right
vector_norm vector degree?
vector_normalize vector degree?
vector_avg col
vector_sum col
"""
