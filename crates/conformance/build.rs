//! For the browser, which has no disk: the cases of the tutorial folder as text in the test, and one test function a case.

use std::path::Path;
use std::{env, fs};

const FOLDERS: [&str; 1] = ["tutorial"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../tests/conformance/cases");
    let mut text = String::new();
    for folder in FOLDERS {
        let path = root.join(folder);
        println!("cargo:rerun-if-changed={}", path.display());
        let mut names: Vec<String> = Vec::new();
        for entry in fs::read_dir(&path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".py").map(str::to_owned));
        }
        names.sort();
        for name in names {
            let file =
                |extension: &str| format!("{:?}", path.join(format!("{name}.{extension}")).display().to_string());
            text.push_str(&format!(
                "#[wasm_bindgen_test]\nfn {folder}_{name}() {{\n    check(&Embedded {{\n        folder: {folder:?},\n        \
                 name: {name:?},\n        script: include_str!({}),\n        expected: include_str!({}),\n    }});\n}}\n\n",
                file("py"),
                file("out"),
            ));
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("web_cases.rs"), text)?;
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}
