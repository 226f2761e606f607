/** The package as npm makes it, installed in an empty folder. */
import { execFile, type ExecFileOptions } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const notCopied = new Set(['.git', 'coverage', 'dist', 'node_modules']);

export const PACKAGE_NAME = 'shipment-graphql-gateway';

export interface InstalledPackage {
  /** The folder of the consumer, with the package and nothing but its dependencies in `node_modules`. */
  readonly folder: string;
  /** Paths of the files of the package. */
  readonly files: readonly string[];
  /** Text of a file of the package. */
  read(path: string): string;
  /** Makes a development dependency of ours one of the consumer's. */
  link(...dependencies: string[]): void;
  /** Runs a program of a dependency in the folder; gives what it prints. */
  runNode(args: readonly string[], env?: Record<string, string>): Promise<string>;
  remove(): void;
}

export async function installPackage(): Promise<InstalledPackage> {
  const temporary = mkdtempSync(join(tmpdir(), 'consumer-'));
  const source = join(temporary, 'source');
  const folder = join(temporary, 'consumer');
  const installed = join(folder, 'node_modules', PACKAGE_NAME);

  // A copy, as the build would write into dist/ while other tests run.
  cpSync(root, source, { recursive: true, filter: (path) => !notCopied.has(basename(path)) });
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  mkdirSync(installed, { recursive: true });
  await run('npm', ['pack', '--pack-destination', temporary], { cwd: source });
  const tarball = readdirSync(temporary).find((file) => file.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(temporary, tarball), '--strip-components=1', '-C', installed], {});

  const link = (...dependencies: string[]) => {
    for (const dependency of dependencies) {
      const target = join(folder, 'node_modules', dependency);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(root, 'node_modules', dependency), target);
    }
  };
  const read = (path: string) => readFileSync(join(installed, path), 'utf8');
  link(...Object.keys((JSON.parse(read('package.json')) as { dependencies: object }).dependencies));

  return {
    folder,
    files: readdirSync(installed, { recursive: true, encoding: 'utf8' }),
    read,
    link,
    async runNode(args, env = {}) {
      const { PATH = '' } = process.env;
      return run(process.execPath, args, { cwd: folder, env: { PATH, ...env } });
    },
    remove() {
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** Runs a program; gives what it prints. */
async function run(command: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { ...options, encoding: 'utf8' });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as Record<'stderr' | 'stdout', string>;
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** The program of a development dependency of ours. */
export function programOf(path: string): string {
  return join(root, 'node_modules', path);
}
