/** A package of the built project, installed in an empty folder. */
import { execFile, type ExecFileOptions } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { minimalEnv } from './minimalEnv.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const PACKAGE_NAME = 'shipment-graphql-gateway';
export const CLIENT_PACKAGE_NAME = 'shipment-graphql-client';

/** The compilers of TypeScript by version, as consumers have both. */
export const compilers = {
  6: join(root, 'test/node_modules/typescript/bin/tsc'),
  7: join(root, 'node_modules/typescript/bin/tsc'),
};

/** As in a new Vite app, with stricter checks. */
export const VITE_COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  types: [],
  skipLibCheck: true,
};

export type InstalledPackage = Awaited<ReturnType<typeof installPackage>>;

export async function installPackage(name = PACKAGE_NAME) {
  const workspace = mkdtempSync(join(tmpdir(), 'consumer-'));
  const folder = join(workspace, 'consumer');
  const installed = join(folder, 'node_modules', name);
  const source = name === PACKAGE_NAME ? root : join(root, 'dist/client-package');

  mkdirSync(installed, { recursive: true });
  // Without prepack, which would build again, into the dist/ that other tests read.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', workspace], { cwd: source });
  const tarball = readdirSync(workspace).find((file) => file.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(workspace, tarball), '--strip-components=1', '-C', installed], {});

  /** Adds our development dependencies to the consumer's `node_modules`. */
  const link = (...dependencies: string[]) => {
    for (const dependency of dependencies) {
      const target = join(folder, 'node_modules', dependency);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(installedPath(dependency), target);
    }
  };
  const read = (path: string) => readFileSync(join(installed, path), 'utf8');
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  link(...Object.keys({ ...dependencies, ...optionalDependencies }));

  /** Runs Node.js in the folder; returns its stdout. */
  const runNode = (args: readonly string[], env: Record<string, string> = {}) =>
    run(process.execPath, args, { cwd: folder, env });
  return {
    /** The consumer's folder; its `node_modules` contains only the package and its dependencies. */
    folder,
    tarballBytes: statSync(join(workspace, tarball)).size,
    files: readdirSync(installed, { recursive: true, encoding: 'utf8' }),
    read,
    link,
    /** Compiles with the compiler of this version of TypeScript; returns what it prints. */
    compile(tsconfig: object, version: keyof typeof compilers = 7) {
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      return runNode([compilers[version], '-p', '.']);
    },
    runNode,
    remove() {
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

/** Runs a command; returns its stdout. Failures include stdout and stderr. */
async function run(command: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      ...options,
      env: { ...minimalEnv, ...options.env },
      encoding: 'utf8',
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as Record<'stderr' | 'stdout', string>;
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Path of a file or folder of one of our development dependencies, which are those of test/, too. */
export function installedPath(path: string): string {
  const paths = ['test/node_modules', 'node_modules'].map((folder) => join(root, folder, path));
  return paths.find((each) => existsSync(each)) ?? join(root, 'node_modules', path);
}
