//! Python for the scripts: RustPython, our own pyspark package, and the modules that scripts use.
