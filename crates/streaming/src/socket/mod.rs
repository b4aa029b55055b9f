//! Sockets in the session: ports on which a person or a script listens, and the text source that reads from them.

mod hub;
mod source;

pub use hub::{Line, PortState, SocketHub};
pub(crate) use source::SocketSource;
