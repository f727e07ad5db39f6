//! What a shell call would really run, read from its words.
//!
//! Nothing is executed, expanded or looked up.  What a real shell might run is either in the
//! [`Decomposition`], or the decomposition says that something is not known: see
//! [`Decomposition::is_complete`].

mod builtins;
mod cause;
mod command;
mod decomposition;
mod directory;
mod effect;
mod environment;
mod hidden;
mod interpreters;
mod launchers;
mod numbers;
mod options;
mod reader;
mod resolve;
mod shell;
mod shells;
mod token;
#[cfg(test)]
mod work;

pub use self::cause::Cause;
pub use self::command::{Code, Command, Program, Via, ViaKind, Written};
pub use self::decomposition::{Decomposition, Invocation, decompose, decompose_words};
pub use self::effect::{Access, Assignment, Directory, Influence, Redirection, Scope, Target};
pub use self::token::{Arguments, Part, Token};
