const vscode = require("vscode");

/** Events in this extension, in order. */
const told = [];

exports.activate = (context) => {
  context.subscriptions.push(createTests(), createKernel(), createFormatter(), ...createAction(), ...createLanguage());
  return { told: () => told };
};

/** Ends when it is cancelled, and tells of both. */
function goOn(name, token) {
  told.push(`${name} goes on`);
  return new Promise((resolve) => {
    token.onCancellationRequested(() => {
      told.push(`${name} is cancelled`);
      resolve();
    });
  });
}

/** A test in `src/main.ts`, one in `wrong.lab`, and one that does not end. A test fails where its file says `wrong`. */
function createTests() {
  const tests = vscode.tests.createTestController("lab", "Lab");
  const add = (id, path) => {
    const [folder] = vscode.workspace.workspaceFolders;
    const item = tests.createTestItem(id, id, vscode.Uri.joinPath(folder.uri, path));
    item.range = new vscode.Range(2, 0, 4, 0);
    tests.items.add(item);
  };
  add("adds", "src/main.ts");
  add("notices", "wrong.lab");
  add("endless", "src/store.ts");
  tests.createRunProfile(
    "Run",
    vscode.TestRunProfileKind.Run,
    async (request, token) => {
      const run = tests.createTestRun(request);
      for (const item of request.include ?? [...tests.items].map(([, one]) => one)) {
        run.started(item);
        told.push(`test ${item.id}`);
        if (item.id === "endless") await goOn("test", token);
        const source = await vscode.workspace.openTextDocument(item.uri);
        const wrong = [...source.getText().matchAll(/wrong/g)].map(({ index }) =>
          messageAt(item, source.positionAt(index)),
        );
        if (wrong.length > 0) run.failed(item, wrong);
        else run.passed(item);
      }
      run.end();
    },
    true,
  );
  return tests;
}

function messageAt({ uri }, position) {
  const message = new vscode.TestMessage("This is wrong.");
  message.location = new vscode.Location(uri, position);
  return message;
}

/** Runs a cell by saying its text; one that says `fail` fails, one that says `endless` does not end. */
function createKernel() {
  const kernel = vscode.notebooks.createNotebookController("lab", "jupyter-notebook", "Lab");
  kernel.supportedLanguages = ["python"];
  kernel.executeHandler = async (cells) => {
    for (const cell of cells) {
      const text = cell.document.getText();
      const execution = kernel.createNotebookCellExecution(cell);
      execution.start(Date.now());
      if (text.includes("endless")) await goOn("cell", execution.token);
      const item = vscode.NotebookCellOutputItem.stdout(`ran ${text}\n`);
      await execution.replaceOutput([new vscode.NotebookCellOutput([item])]);
      execution.end(!text.includes("fail"), Date.now());
    }
  };
  return kernel;
}

/** Formats one file of TypeScript, beside the editor's own formatter. */
function createFormatter() {
  return vscode.languages.registerDocumentFormattingEditProvider(
    { language: "typescript", pattern: "**/chosen.ts" },
    {
      provideDocumentFormattingEdits: (document) => [
        vscode.TextEdit.replace(document.lineAt(0).range, "export const by = 'lab';"),
      ],
    },
  );
}

/** A code action that changes its file by an edit and another one by its command. */
function createAction() {
  const insert = (uri, line) => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), line);
    return edit;
  };
  return [
    vscode.languages.registerCodeActionsProvider(
      { language: "typescript", pattern: "**/chosen.ts" },
      {
        provideCodeActions: ({ uri }) => {
          const action = new vscode.CodeAction("Change both", vscode.CodeActionKind.Refactor.append("lab"));
          action.edit = insert(uri, "// by the edit\n");
          action.command = {
            title: "",
            command: "lab.changeStore",
            arguments: [vscode.Uri.joinPath(uri, "../store.ts")],
          };
          return [action];
        },
      },
    ),
    vscode.commands.registerCommand("lab.changeStore", (uri) =>
      vscode.workspace.applyEdit(insert(uri, "// by the command\n")),
    ),
  ];
}

/** A language of types, a line each: `Name` or `Name Super`. Who points at something longer than a letter hears nothing, ever, nor does who searches for `endless`. */
function createLanguage() {
  const itemAt = (document, line) => {
    const [name, above] = document.lineAt(line).text.split(" ");
    const range = new vscode.Range(line, 0, line, name.length);
    return { above, item: new vscode.TypeHierarchyItem(vscode.SymbolKind.Class, name, "", document.uri, range, range) };
  };
  const all = async ({ uri }) => {
    const document = await vscode.workspace.openTextDocument(uri);
    return Array.from({ length: document.lineCount - 1 }, (_, line) => itemAt(document, line));
  };
  return [
    vscode.languages.registerTypeHierarchyProvider("lab", {
      prepareTypeHierarchy: (document, { line }) => itemAt(document, line).item,
      provideTypeHierarchySubtypes: async (of) =>
        (await all(of)).filter(({ above }) => above === of.name).map(({ item }) => item),
      provideTypeHierarchySupertypes: async (of) => {
        const types = await all(of);
        const { above } = types.find(({ item }) => item.name === of.name);
        return types.filter(({ item }) => item.name === above).map(({ item }) => item);
      },
    }),
    vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: (query, token) => (query === "endless" ? goOn("search", token).then(() => []) : []),
    }),
    vscode.languages.registerHoverProvider("lab", {
      provideHover: (_document, _position, token) => goOn("hover", token).then(() => undefined),
    }),
  ];
}
