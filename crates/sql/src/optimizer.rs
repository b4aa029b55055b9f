//! The optimizer rules that a user can notice.
