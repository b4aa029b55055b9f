//! `conformance [FOLDER | FOLDER/NAME | PART]... [-v]`: runs cases and says how they went; what developers use between edits.

#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")
)]

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    host::main()
}

#[cfg(not(target_arch = "wasm32"))]
mod host {
    use std::collections::BTreeMap;
    use std::process::ExitCode;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use std::{env, io, thread};

    use tidemark_conformance::fuzz;

    use tidemark_conformance::{
        Case, Passing, first_difference, folder_names, go_back_guarded, rehearsal_named, run_guarded, run_witnessed,
        select, unified,
    };
    use tidemark_protocol::engine::Rehearsal;

    const USAGE: &str = "\
usage: conformance [FOLDER | FOLDER/NAME | PART]... [OPTION]...
  -v, --verbose    the whole difference and standard error of each case that fails
  -p, --print      what the case prints here, and nothing else
  -q, --quiet      the counts only
      --bless      rewrite tests/conformance/passing for the folders that were run whole
      --limit N    seconds a case may take (20)
      --rehearse HOW  stop | offsets | sink | commit: queries lose their memory there and go on from the checkpoint
      --fates      with the rows of every batch followed: what is told of them has to fit
      --back       go back to each moment of a case and forward again, instead of comparing what it prints
      --fuzz N     random queries and damaged checkpoints for N seconds; --seed N: the first seed; --script N: show one
";

    #[derive(Default)]
    struct Options {
        words: Vec<String>,
        verbose: bool,
        print: bool,
        quiet: bool,
        bless: bool,
        limit: Option<u64>,
        rehearsal: Option<Rehearsal>,
        fates: bool,
        back: bool,
        fuzz: Option<u64>,
        seed: u64,
        script: Option<u64>,
    }

    fn number(text: Option<String>, option: &str) -> Result<u64, String> {
        text.and_then(|text| text.parse().ok()).ok_or_else(|| format!("{option} takes a number"))
    }

    fn options() -> Result<Options, String> {
        let mut options = Options::default();
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-v" | "--verbose" => options.verbose = true,
                "-p" | "--print" => options.print = true,
                "-q" | "--quiet" => options.quiet = true,
                "--back" => options.back = true,
                "--bless" => options.bless = true,
                "--limit" => options.limit = Some(number(arguments.next(), "--limit")?),
                "--fuzz" => options.fuzz = Some(number(arguments.next(), "--fuzz")?),
                "--seed" => options.seed = number(arguments.next(), "--seed")?,
                "--script" => options.script = Some(number(arguments.next(), "--script")?),
                "--fates" => options.fates = true,
                "--rehearse" => {
                    let how = arguments.next().and_then(|text| rehearsal_named(&text));
                    options.rehearsal = Some(how.ok_or("--rehearse takes stop, offsets, sink or commit")?);
                }
                word if word.starts_with('-') => return Err(format!("unknown option {word}\n{USAGE}")),
                word => options.words.push(word.to_owned()),
            }
        }
        Ok(options)
    }

    pub(super) fn main() -> ExitCode {
        let run = options().and_then(|options| match (options.script, options.fuzz) {
            (Some(seed), _) => {
                print!("{}", fuzz::script(seed));
                Ok(true)
            }
            (None, Some(seconds)) => Ok(try_seeds(options.seed, seconds)),
            (None, None) => run(&options).map_err(|error| error.to_string()),
        });
        match run {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(message) => {
                eprintln!("{message}");
                ExitCode::from(2)
            }
        }
    }

    /// Whether no seed found anything.
    fn try_seeds(first: u64, seconds: u64) -> bool {
        let mut clean = true;
        let count = fuzz::run(first, Duration::from_secs(seconds), &mut |finding| {
            clean = false;
            println!("seed {}: {}", finding.seed, first_lines(&finding.what));
        });
        println!("{count} seeds from {first}");
        clean
    }

    /// How a case went: empty when it passes, else what to tell.
    fn verdict(case: &Case, options: &Options) -> Option<String> {
        let limit = Duration::from_secs(options.limit.unwrap_or(20));
        if options.back {
            return go_back_guarded(case, limit).err().map(|error| error.chars().take(3000).collect());
        }
        let ran = if options.fates { run_witnessed(case, limit) } else { run_guarded(case, options.rehearsal, limit) };
        let printed = match ran {
            Ok(printed) => printed,
            Err(error) => return Some(if options.verbose { error } else { first_lines(&error) }),
        };
        if options.print {
            print!("{}", printed.stdout);
            eprint!("{}", printed.stderr);
        }
        let (number, expected, actual) = first_difference(&case.expected, &printed.stdout)?;
        if options.verbose {
            return Some(format!("{}{}", unified(&case.expected, &printed.stdout, 40), printed.stderr));
        }
        let show = |line: Option<String>| line.unwrap_or_else(|| "(end)".to_owned());
        Some(format!("line {number}\n      - {}\n      + {}", show(expected), show(actual)))
    }

    fn first_lines(text: &str) -> String {
        text.lines().take(2).collect::<Vec<_>>().join("\n      ")
    }

    fn run(options: &Options) -> io::Result<bool> {
        let folders = folder_names()?;
        let cases = select(&options.words)?;
        if cases.is_empty() {
            return Err(io::Error::other("no case has such a name"));
        }
        let next = AtomicUsize::new(0);
        let verdicts = Mutex::new(BTreeMap::new());
        thread::scope(|scope| {
            for _ in 0..if options.print { 1 } else { 2 } {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let verdict = verdict(case, options);
                        if let Ok(mut verdicts) = verdicts.lock() {
                            verdicts.insert(case.id(), verdict);
                        }
                    }
                });
            }
        });
        let verdicts = verdicts.into_inner().map_err(|_| io::Error::other("a runner thread panicked"))?;
        let mut passing = Passing::load(&folders)?;
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for case in &cases {
            let verdict = verdicts.get(&case.id()).cloned().flatten();
            let count = counts.entry(&case.folder).or_default();
            count.1 += 1;
            count.0 += usize::from(verdict.is_none());
            passing.set(&case.folder, &case.name, verdict.is_none());
            match verdict {
                Some(text) if !options.quiet && !options.print => println!("FAIL  {}: {text}", case.id()),
                None if options.verbose && !options.print => println!("ok    {}", case.id()),
                _ => {}
            }
        }
        if options.bless && options.rehearsal.is_none() && !options.fates && !options.back {
            passing.save()?;
        }
        let total = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        if !options.print {
            for (folder, (passed, all)) in counts {
                println!("{folder:<14}{passed:>4} of {all}");
            }
            println!("{:<14}{:>4} of {}", "all", total.0, total.1);
        }
        Ok(total.0 == total.1)
    }
}
