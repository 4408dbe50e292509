const vscode = require("vscode");

exports.activate = () => vscode.commands.executeCommand("tiller.chat.focus");
