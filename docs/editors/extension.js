// Starts the language server for SysY documents.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration('sysy').get('server');
  client = new LanguageClient('sysy', 'SysY', { command, args }, { documentSelector: [{ language: 'sysy' }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
