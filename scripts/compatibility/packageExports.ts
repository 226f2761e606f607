/** What programs import from the package: the exported names of each subpath, and the members of their types. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';

/** Per exported name its members, as they are declared; none for functions, classes and type aliases. */
export const ExportedNames = z.record(z.string(), z.record(z.string(), z.string()));
export type ExportedNames = z.output<typeof ExportedNames>;

/** By subpath; empty for those that are no modules. Reads the sources, without the types of other packages. */
export function exportedNames(
  subpaths: Record<string, string | { types: string }>,
): Record<string, ExportedNames> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('explorer'))
    .map((file) => join('src', file));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    noResolve: true,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return Object.fromEntries(
    Object.entries(subpaths).map(([subpath, target]) => {
      const source = typeof target === 'string' ? undefined : sourceOf(target.types);
      const module = source && program.getSourceFile(source);
      const symbol = module && checker.getSymbolAtLocation(module);
      return [subpath, symbol ? namesOf(symbol, checker) : {}];
    }),
  );
}

function sourceOf(types: string): string {
  return types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts');
}

function namesOf(module: ts.Symbol, checker: ts.TypeChecker): ExportedNames {
  const names = checker.getExportsOfModule(module).map((exported) => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const { declarations = [] } = isAlias ? checker.getAliasedSymbol(exported) : exported;
    return [exported.name, Object.fromEntries(declarations.flatMap(membersOf))] as const;
  });
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The members of an interface, with `?` after the names of optional ones. */
function membersOf(declaration: ts.Declaration): [string, string][] {
  if (!ts.isInterfaceDeclaration(declaration)) return [];
  return declaration.members.map((member): [string, string] => {
    const type = ts.isPropertySignature(member) && member.type ? member.type.getText() : signatureOf(member);
    const name = `${member.name?.getText() ?? ''}${member.questionToken ? '?' : ''}`;
    return [name, type.replaceAll(/\s+/g, ' ')];
  });
}

function signatureOf(member: ts.TypeElement): string {
  return member.getText().replace(/;$/, '');
}
