//! The session's TCP ports. There is one end of each in here: what a listener sends waits until a client reads it, as the
//! text typed into `nc -lk PORT` does.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

/// First port that the system gives out by itself.
const EPHEMERAL: u16 = 49_152;

/// A line that was sent, and when, ms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub sent_ms: i64,
}

#[derive(Clone, Debug, Default)]
struct Port {
    listening: bool,
    /// Bytes of a line that is not ended yet.
    open: Vec<u8>,
    lines: VecDeque<Line>,
    /// How many lines were ever sent.
    sent: u64,
}

/// All ports of one session.
#[derive(Clone, Debug, Default)]
pub struct SocketHub {
    ports: RefCell<BTreeMap<u16, Port>>,
}

/// A port as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortState {
    pub port: u16,
    /// Lines that nobody has read.
    pub waiting: usize,
    pub sent: u64,
}

impl SocketHub {
    /// A port for `wanted`: itself, or a free one for 0. None: somebody listens there already.
    pub fn reserve(&self, wanted: u16) -> Option<u16> {
        let ports = self.ports.borrow();
        let taken = |port: u16| ports.get(&port).is_some_and(|port| port.listening);
        if wanted != 0 {
            return (!taken(wanted)).then_some(wanted);
        }
        (EPHEMERAL..=u16::MAX).find(|port| !taken(*port))
    }

    pub fn listen(&self, port: u16) {
        self.ports.borrow_mut().entry(port).or_default().listening = true;
    }

    pub fn is_listening(&self, port: u16) -> bool {
        self.ports.borrow().get(&port).is_some_and(|port| port.listening)
    }

    /// Ends the stream: a line that is not ended counts as one. What was sent can still be read.
    pub fn end(&self, port: u16, now_ms: i64) {
        if let Some(port) = self.ports.borrow_mut().get_mut(&port)
            && !port.open.is_empty()
        {
            port.end_line(now_ms);
        }
    }

    /// Nobody can connect any more.
    pub fn close(&self, port: u16) {
        if let Some(port) = self.ports.borrow_mut().get_mut(&port) {
            port.listening = false;
        }
    }

    /// Sends bytes to whoever is or will be connected.
    pub fn send(&self, port: u16, bytes: &[u8], now_ms: i64) {
        let mut ports = self.ports.borrow_mut();
        let port = ports.entry(port).or_default();
        for byte in bytes {
            match byte {
                b'\n' => port.end_line(now_ms),
                byte => port.open.push(*byte),
            }
        }
    }

    /// Takes the lines that are there.
    pub fn receive(&self, port: u16) -> Vec<Line> {
        self.ports.borrow_mut().get_mut(&port).map_or_else(Vec::new, |port| port.lines.drain(..).collect())
    }

    /// Ports that somebody listens on, ascending.
    pub fn listening(&self) -> Vec<PortState> {
        let ports = self.ports.borrow();
        let listening = ports.iter().filter(|(_, port)| port.listening);
        listening
            .map(|(number, port)| PortState { port: *number, waiting: port.lines.len(), sent: port.sent })
            .collect()
    }
}

impl Port {
    fn end_line(&mut self, now_ms: i64) {
        let bytes = std::mem::take(&mut self.open);
        let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(&bytes)).into_owned();
        self.lines.push_back(Line { text, sent_ms: now_ms });
        self.sent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wait_for_a_reader() {
        let hub = SocketHub::default();
        assert_eq!(hub.reserve(9999), Some(9999));
        hub.listen(9999);
        assert_eq!((hub.reserve(9999), hub.reserve(0)), (None, Some(EPHEMERAL)));
        hub.send(9999, b"one\r\ntw", 5);
        assert_eq!(hub.receive(9999), [Line { text: "one".into(), sent_ms: 5 }]);
        hub.send(9999, b"o", 6);
        hub.end(9999, 7);
        assert_eq!(hub.receive(9999), [Line { text: "two".into(), sent_ms: 7 }]);
        hub.close(9999);
        assert!(!hub.is_listening(9999) && hub.listening().is_empty());
    }
}
