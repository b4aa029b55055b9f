//! The keyboard: which keys do what, for the handler, the tooltips and the list of shortcuts.

/// What a shortcut asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Run,
    Step,
    Continuous,
    Stop,
    Restart,
    Crash,
    Reset,
    Earlier,
    Later,
    Now,
    MayRestart,
    AddEvent,
    Share,
    History,
    GoScript,
    GoFiles,
    GoTime,
    GoBatches,
    GoDetail,
    GoLessons,
    Help,
}

/// A shortcut: the key's code with its modifiers, as shown, and what it does.
pub struct Shortcut {
    pub key: Key,
    code: &'static str,
    control: bool,
    alt: bool,
    shift: bool,
    pub shown: &'static str,
    pub does: &'static str,
}

const fn shortcut(
    key: Key,
    code: &'static str,
    (control, alt, shift): (bool, bool, bool),
    shown: &'static str,
    does: &'static str,
) -> Shortcut {
    Shortcut { key, code, control, alt, shift, shown, does }
}

const PLAIN: (bool, bool, bool) = (false, false, false);
const CONTROL: (bool, bool, bool) = (true, false, false);
const CONTROL_SHIFT: (bool, bool, bool) = (true, false, true);
const ALT: (bool, bool, bool) = (false, true, false);
const ALT_SHIFT: (bool, bool, bool) = (false, true, true);
const SHIFT: (bool, bool, bool) = (false, false, true);

/// Function keys, or with a modifier: no single letters, which would get in the way of typing and of screen readers.
pub const SHORTCUTS: [Shortcut; 21] = [
    shortcut(Key::Run, "Enter", CONTROL, "Ctrl Enter", "Run the script from its first line"),
    shortcut(Key::Step, "F10", PLAIN, "F10", "Step one trigger (runs the script first if nothing runs)"),
    shortcut(Key::Continuous, "F9", PLAIN, "F9", "Run triggers continuously, or pause"),
    shortcut(Key::Stop, "F9", SHIFT, "Shift F9", "Stop the queries"),
    shortcut(Key::Restart, "Enter", CONTROL_SHIFT, "Ctrl Shift Enter", "Restart from the checkpoint"),
    shortcut(Key::Crash, "KeyK", ALT, "Alt K", "Open the crash menu"),
    shortcut(Key::Reset, "KeyR", ALT_SHIFT, "Alt Shift R", "Reset the workspace to the example"),
    shortcut(Key::Earlier, "Comma", ALT, "Alt ,", "Go back one batch"),
    shortcut(Key::Later, "Period", ALT, "Alt .", "Go forward one batch"),
    shortcut(Key::Now, "Period", ALT_SHIFT, "Alt Shift .", "Go back to now"),
    shortcut(Key::MayRestart, "KeyM", ALT, "Alt M", "Ask whether a restart with this script would go on"),
    shortcut(Key::AddEvent, "KeyE", ALT, "Alt E", "Add an event"),
    shortcut(Key::Share, "KeyS", ALT, "Alt S", "Share, save, open"),
    shortcut(Key::History, "KeyH", ALT, "Alt H", "Runs so far"),
    shortcut(Key::GoScript, "Digit1", ALT, "Alt 1", "Go to the script"),
    shortcut(Key::GoFiles, "Digit2", ALT, "Alt 2", "Go to the files"),
    shortcut(Key::GoTime, "Digit3", ALT, "Alt 3", "Go to the event-time strip"),
    shortcut(Key::GoBatches, "Digit4", ALT, "Alt 4", "Go to the batches"),
    shortcut(Key::GoDetail, "Digit5", ALT, "Alt 5", "Go to output, console, progress, state, checkpoint"),
    shortcut(Key::GoLessons, "Digit0", ALT, "Alt 0", "Open or close the lessons and examples"),
    shortcut(Key::Help, "F1", PLAIN, "F1", "Show this help"),
];

/// The shortcut of a pressed key. Command stands for Control on a Mac.
pub fn pressed(code: &str, control: bool, alt: bool, shift: bool) -> Option<Key> {
    let code = if code == "NumpadEnter" { "Enter" } else { code };
    let is =
        |entry: &&Shortcut| entry.code == code && entry.control == control && entry.alt == alt && entry.shift == shift;
    SHORTCUTS.iter().find(is).map(|entry| entry.key)
}

/// The keys of an action, as tooltips name them.
pub fn shown(key: Key) -> &'static str {
    SHORTCUTS.iter().find(|entry| entry.key == key).map_or("", |entry| entry.shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_combination_means_one_thing() {
        for entry in &SHORTCUTS {
            assert_eq!(pressed(entry.code, entry.control, entry.alt, entry.shift), Some(entry.key));
        }
        assert_eq!(pressed("KeyE", false, false, false), None);
        assert_eq!(shown(Key::Step), "F10");
    }
}
