//! A language server (`sysyc lsp`): the Language Server Protocol 3.17 over the standard streams.
//!
//! A thread reads messages; the loop takes all that have come, in order, and checks a document only when
//! nothing is left to read: what was typed over in the meantime is never checked, and no work is queued. A
//! document is checked as a whole at each change, by the same stages as a compile; what is known of its names
//! (`index`) is read from the checker's columns when a request first asks for it.
//!
//! | file | holds |
//! | --- | --- |
//! | `transport` | messages on a stream |
//! | `documents` | texts, their changes, and what checking them said |
//! | `positions` | lines and UTF-16 columns to bytes and back |
//! | `index` | every name of a document: what it stands for, where it is used |
//! | `diagnostics` | diagnostics and their edits |
//! | `hover` | types, values, signatures and comments |
//! | `names` | definition, references, rename |
//! | `complete` | names in scope, keywords, the runtime library |
//! | `outline` | symbols, folding, tokens by meaning |
//! | `library` | what the runtime library's functions do |

mod complete;
mod diagnostics;
mod documents;
mod hover;
mod index;
mod library;
mod names;
mod outline;
mod positions;
mod transport;

use super::options::Goal;
use super::session::{Failure, Session};
use documents::{Document, Documents};
use positions::Place;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use transport::Read;

/// Messages that wait to be taken, at most.
const WAITING: usize = 1 << 10;

/// Error codes of JSON-RPC and of the protocol.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const NOT_INITIALIZED: i32 = -32002;
const REQUEST_CANCELLED: i32 = -32800;
const REQUEST_FAILED: i32 = -32803;

/// Why a request has no answer.
struct Refused(i32, String);

impl Refused {
    fn params() -> Refused {
        Refused(INVALID_PARAMS, "the parameters are not as the protocol says".to_string())
    }

    fn failed(why: impl Into<String>) -> Refused {
        Refused(REQUEST_FAILED, why.into())
    }
}

type Answer = Result<Value, Refused>;

/// The state of a server.
struct Server<W> {
    session: Session,
    documents: Documents,
    out: W,
    is_initialised: bool,
    is_shut_down: bool,
}

/// Serves until `exit` or the end of the input. Returns the exit code: 0 behind `shutdown`, else 1.
pub fn serve(mut session: Session, input: impl BufRead + Send + 'static, out: impl Write) -> u8 {
    session.options.goal = Goal::Check;
    let (sender, receiver) = sync_channel(WAITING);
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let read = transport::read(&mut input);
            let ends = matches!(read, Read::End | Read::Broken(_));
            if sender.send(read).is_err() || ends {
                return;
            }
        }
    });
    let documents = Documents::default();
    let mut server = Server { session, documents, out, is_initialised: false, is_shut_down: false };
    server.run(&receiver).unwrap_or(1)
}

impl<W: Write> Server<W> {
    /// Takes messages until the last. Fails if nothing can be written.
    fn run(&mut self, receiver: &Receiver<Read>) -> std::io::Result<u8> {
        let mut waiting: VecDeque<Value> = VecDeque::new();
        let mut ended = false;
        loop {
            // All that have come; if there are none and nothing is left to do, the next.
            while !ended {
                let idle = waiting.is_empty() && !self.documents.has_stale();
                let read = match receiver.try_recv() {
                    Ok(read) => read,
                    Err(TryRecvError::Empty) if idle => receiver.recv().unwrap_or(Read::End),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => Read::End,
                };
                match read {
                    Read::Message(bytes) => match serde_json::from_slice(&bytes) {
                        Ok(message) => waiting.push_back(message),
                        Err(error) => self.refuse(&Value::Null, PARSE_ERROR, &error.to_string())?,
                    },
                    Read::Broken(why) => {
                        self.refuse(&Value::Null, PARSE_ERROR, &why)?;
                        ended = true;
                    }
                    Read::End => ended = true,
                }
            }
            match waiting.pop_front() {
                Some(message) => {
                    if message["method"] == "exit" {
                        return Ok(u8::from(!self.is_shut_down));
                    }
                    self.take(&message, &waiting)?;
                }
                None if ended => return Ok(1),
                None => self.publish_stale()?,
            }
        }
    }

    /// One message, given those that have come behind it.
    fn take(&mut self, message: &Value, behind: &VecDeque<Value>) -> std::io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else {
            // An answer to a request, of which there are none, or no message at all.
            let is_answer =
                message.is_object() && (message.get("result").is_some() || message.get("error").is_some());
            return if is_answer { Ok(()) } else { self.refuse(id, INVALID_REQUEST, "there is no method") };
        };
        if id.is_null() {
            if self.is_initialised {
                self.note(method, params);
            }
            return self.publish_closed();
        }
        let is_cancelled =
            |other: &Value| other["method"] == "$/cancelRequest" && other["params"]["id"] == *id;
        if behind.iter().any(is_cancelled) {
            return self.refuse(id, REQUEST_CANCELLED, "cancelled");
        }
        match self.answer(method, params) {
            Ok(result) => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Err(Refused(code, why)) => self.refuse(id, code, &why),
        }
    }

    /// A notification.
    fn note(&mut self, method: &str, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        match method {
            "textDocument/didOpen" => {
                let item = &params["textDocument"];
                if let Some(text) = item["text"].as_str() {
                    self.documents.open(uri, item["version"].as_i64(), text);
                }
            }
            "textDocument/didChange" => {
                let version = params["textDocument"]["version"].as_i64();
                if let (Some(document), Some(changes)) =
                    (self.documents.get_mut(uri), params["contentChanges"].as_array())
                {
                    document.change(version, changes);
                }
            }
            "textDocument/didClose" => self.documents.close(uri),
            _ => {}
        }
    }

    /// A request. What goes wrong inside is an answer, too.
    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        match method {
            "initialize" => {
                self.is_initialised = true;
                return Ok(abilities());
            }
            _ if !self.is_initialised => {
                return Err(Refused(NOT_INITIALIZED, "'initialize' comes first".to_string()));
            }
            _ if self.is_shut_down => {
                return Err(Refused(INVALID_REQUEST, "the server is shut down".to_string()));
            }
            "shutdown" => {
                self.is_shut_down = true;
                return Ok(Value::Null);
            }
            _ => {}
        }
        let Some(&(_, handle)) = REQUESTS.iter().find(|row| row.0 == method) else {
            return Err(Refused(METHOD_NOT_FOUND, format!("'{method}' is not known")));
        };
        let uri = params["textDocument"]["uri"].as_str().ok_or_else(Refused::params)?;
        let document = self.documents.get_mut(uri);
        let document =
            document.ok_or_else(|| Refused(INVALID_PARAMS, "the document is not open".to_string()))?;
        let session = &self.session;
        session.guard(Path::new(uri), || Ok(handle(session, document, params))).unwrap_or_else(|failure| {
            let why = match failure {
                Failure::Internal(bug) => format!("internal error: {} ({})", bug.message, bug.place),
                other => format!("{other:?}"),
            };
            Err(Refused(INTERNAL_ERROR, why))
        })
    }

    /// Checks what has changed, and tells what there is to say.
    fn publish_stale(&mut self) -> std::io::Result<()> {
        while let Some(document) = self.documents.next_stale() {
            let session = &self.session;
            let (uri, version) = (document.uri.clone(), document.version);
            let checked = session.guard(Path::new(&uri), || {
                document.check(session);
                Ok(diagnostics::diagnostics(document))
            });
            let list = checked.unwrap_or_else(|_| json!([]));
            let params = json!({ "uri": uri, "version": version, "diagnostics": list });
            self.send(
                &json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }),
            )?;
        }
        Ok(())
    }

    /// Takes back what was told about closed documents.
    fn publish_closed(&mut self) -> std::io::Result<()> {
        for uri in self.documents.take_closed() {
            let params = json!({ "uri": uri, "diagnostics": [] });
            self.send(
                &json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }),
            )?;
        }
        Ok(())
    }

    fn refuse(&mut self, id: &Value, code: i32, why: &str) -> std::io::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } }))
    }

    fn send(&mut self, message: &Value) -> std::io::Result<()> {
        transport::write(&mut self.out, message)
    }
}

type Handle = fn(&Session, &mut Document, &Value) -> Answer;

/// All requests about a document.
static REQUESTS: [(&str, Handle); 14] = [
    ("textDocument/hover", hover::hover),
    ("textDocument/signatureHelp", hover::signature),
    ("textDocument/definition", names::definition),
    ("textDocument/declaration", names::definition),
    ("textDocument/references", names::references),
    ("textDocument/documentHighlight", names::highlights),
    ("textDocument/prepareRename", names::prepare),
    ("textDocument/rename", names::rename),
    ("textDocument/completion", complete::complete),
    ("textDocument/documentSymbol", outline::symbols),
    ("textDocument/foldingRange", outline::folding),
    ("textDocument/semanticTokens/full", outline::tokens),
    ("textDocument/semanticTokens/range", outline::tokens),
    ("textDocument/codeAction", diagnostics::actions),
];

/// What the server can do.
fn abilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2 },
            "hoverProvider": true,
            "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
            "definitionProvider": true,
            "declarationProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "completionProvider": {},
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": outline::TYPES, "tokenModifiers": outline::MODIFIERS },
                "full": true,
                "range": true,
            },
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
        },
        "serverInfo": { "name": "sysyc", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The offset that a request is about.
fn offset_of(document: &Document, params: &Value) -> Result<u32, Refused> {
    let place = Place::of(&params["position"]).ok_or_else(Refused::params)?;
    Ok(place.offset(&document.file))
}
