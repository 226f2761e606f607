import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

export interface ModuleImport {
  /** Path of the imported file where that is one of ours, as of the importing one; otherwise the name of a package. */
  of: string;
  /** False where the compiler takes the import away. */
  atRunTime: boolean;
}

/** A module of src/, as its text says. */
export interface SourceModule {
  /** From the root of the project, for instance `src/service/client.ts`. */
  path: string;
  text: string;
  imports: ModuleImport[];
  /** Names of exported values and types. */
  exports: string[];
  /** What the module does when it is imported: the beginnings of its statements that are no declarations. */
  effects: string[];
  /** How many try statements it has. */
  tryStatements: number;
}

const root = new URL('../../', import.meta.url);

/** Every module of src/, generated code left out. */
export function readSourceModules(): SourceModule[] {
  return readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.startsWith('src/generated/'))
    .sort()
    .map((path) => readModule(path, readFileSync(new URL(path, root), 'utf8')));
}

export function readModule(path: string, text: string): SourceModule {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const all = descendantsOf(file);
  return {
    path,
    text,
    imports: all.flatMap(importsOf).map(({ of, atRunTime }) => ({
      of: of.startsWith('.') ? posix.join(posix.dirname(path), of).replace(/\.js$/, '.ts') : of,
      atRunTime,
    })),
    exports: file.statements.flatMap(exportsOf),
    effects: file.statements.filter(isEffect).map((each) => each.getText().slice(0, 60)),
    tryStatements: all.filter(ts.isTryStatement).length,
  };
}

function descendantsOf(node: ts.Node): ts.Node[] {
  return [node, ...node.getChildren().flatMap(descendantsOf)];
}

/** The compiler keeps an import as soon as it is not of types as a whole (`verbatimModuleSyntax`). */
function importsOf(node: ts.Node): ModuleImport[] {
  if (ts.isImportDeclaration(node)) {
    return [
      {
        of: textOf(node.moduleSpecifier),
        atRunTime: node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword,
      },
    ];
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    return [{ of: textOf(node.moduleSpecifier), atRunTime: !node.isTypeOnly }];
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return node.arguments.map((argument) => ({ of: textOf(argument), atRunTime: true }));
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return [{ of: textOf(node.argument.literal), atRunTime: false }];
  }
  return [];
}

function textOf(specifier: ts.Node): string {
  if (ts.isStringLiteral(specifier)) return specifier.text;
  throw new Error(`Expected the name of a module in quotes, got ${specifier.getText()}`);
}

function exportsOf(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement;
    if (!exportClause) return ['*'];
    if (ts.isNamespaceExport(exportClause)) return [exportClause.name.text];
    return exportClause.elements.map(({ name }) => name.text);
  }
  if (ts.isExportAssignment(statement)) return ['default'];
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  return 'name' in statement ? [(statement.name as ts.Identifier).text] : [];
}

function isEffect(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return statement.importClause === undefined;
  return !(
    ts.isExportDeclaration(statement) ||
    ts.isVariableStatement(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement)
  );
}
