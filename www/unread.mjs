// What RustPython brings along, no feature leaves out, and nothing reads here, so that it may as well be zeros, which take no
// space once they are compressed:
// - the tables of Chinese, Japanese and Korean encodings, a twentieth of what the page loads, for modules (`_codecs_cn` and its
//   kin) that scripts cannot import (crates/pyspark/src/interpreter.rs);
// - the code of modules that the interpreter starts with; those of crates/pyspark/build.rs come before them.
import { createHash } from "node:crypto";

// Length, first bytes and start of the SHA-256 of each table of rustpython-common 0.6.0 (src/encodings/cjk/mappings_*.rs) and of
// each module's code of rustpython-vm 0.6.0 (Lib/).
const UNREAD = [
  [66266, "2e22ffffffff3422ffffffff", "81c37d7b1c23d4428c939d54902106a6"], // CP949_ENCMAP_DATA
  [58612, "719cffffffffffffffffffff", "ba3dbb1750a128414b0ce7ed32cc760f"], // BIG5HKSCS_NONBMP_ENCMAP_DATA
  [54574, "3222ffffffffffffffffffff", "5989105bda736a09a285ca313b11aad9"], // JISX0213_BMP_ENCMAP_DATA
  [52802, "d8c6ffffffffffffffffffff", "791c322cf1b6e5d06d8fafc3059c604a"], // BIG5HKSCS_BMP_ENCMAP_DATA
  [46462, "6821ffffffff6c212721ffff", "dfcc8a223a2eea6a548f225b08fc3d4d"], // GBCOMMON_ENCMAP_DATA
  [44032, "4021ffffffffffffffffffff", "e35aa9751fefd6f632d1be79a88497de"], // JISXCOMMON_ENCMAP_DATA
  [43528, "46a247a2ffff44a2ffffb1a1", "a2cc5df3b8e685e37ecb484a063df719"], // BIG5_ENCMAP_DATA
  [33404, "00300cff013002300eff2220", "889557040b643a350390a7550deafa4c"], // BIG5_DECMAP_DATA
  [29062, "024e044e054e064e0f4e124e", "845c2a5b27b00a8ca2636ee71503d213"], // GBKEXT_DECMAP_DATA
  [19372, "8287ffffffffffffffffffff", "5f0b8178620eadfda4c196a978988061"], // CP932EXT_ENCMAP_DATA
  [19300, "02ac03ac05ac06ac0bac0cac", "675776dab8c40515e98068d3a6e5a112"], // CP949EXT_DECMAP_DATA
  [17574, "222effffffffffffffffffff", "0a9ccb30cd258658343f077b5b64bc57"], // JISX0213_EMP_ENCMAP_DATA
  [16528, "003001300230b70025202620", "8a7ffd1833037c22a054462d2a1405f0"], // KSX1001_DECMAP_DATA
  [14964, "003001300230fb30c902c702", "91d8cb583b71b4447970cc6fc4e97aca"], // GB2312_DECMAP_DATA
  [13912, "0030013002300cff0efffb30", "9b5070cf6ac305d6219b89e8d9db4189"], // JISX0208_DECMAP_DATA
  [12438, "f043324c0346a64578456772", "9d951a012246e0fa745fa9b552dc9809"], // BIG5HKSCS_DECMAP_DATA
  [12358, "d802c702b800d902dd02af00", "27bd19ae06c768f116a442be5ed77057"], // JISX0212_DECMAP_DATA
  [6454, "bfa8e3a250feffffffff54fe", "b187c11ec07abc2f4d1ce1b12de39c0c"], // GB18030EXT_ENCMAP_DATA
  [5458, "c6e4c7e4c8e4c9e4cae4cbe4", "6ba37f13126ced2b3479df89810a0656"], // GB18030EXT_DECMAP_DATA
  [4850, "024e0f4e124e294e2b4e2e4e", "fc3362a47196365b34ebe847c8c626ad"], // JISX0213_2_BMP_DECMAP_DATA
  [4394, "07ff02ff0dff7e0033303430", "5ffa6833d5da28794657e0f7da4a939a"], // JISX0213_1_BMP_DECMAP_DATA
  [4106, "8900fefffefffefffefffeff", "353f236fd0ed48b05799d9992305ee94"], // JISX0213_2_EMP_DECMAP_DATA
  [40608, "f03601001700010013060c00", "f0dc2ce65a68981bc95076b18ed50c7f"], // _frozen_importlib_external
  [35030, "970c01001700010013050c00", "453458bb0b5ac7ecb33de657994d4c92"], // _frozen_importlib
  [21326, "06bf00001700010013050c00", "fb9268cc37796f413344cb5cf3e06a04"], // codecs
  [7307, "b93900001700010013050c00", "0e53066dedd231eec776d4adda368073"], // _thread
  [5384, "102200001700010013060c00", "c2f0ac5c4af2e725669b42c65fb44b47"], // copyreg
];

// Blanks these in a Wasm module, where they are found byte for byte; returns how many were.
export function blankUnread(wasm) {
  let blanked = 0;
  for (const [length, first, digest] of UNREAD) {
    const start = Buffer.from(first, "hex");
    for (let at = wasm.indexOf(start); at >= 0; at = wasm.indexOf(start, at + 1)) {
      const table = wasm.subarray(at, at + length);
      if (!createHash("sha256").update(table).digest("hex").startsWith(digest)) continue;
      table.fill(0);
      blanked += 1;
      break;
    }
  }
  return { blanked, known: UNREAD.length };
}
