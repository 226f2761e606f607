/** Builds the Dockerfile's image without a container engine, by running its steps in folders; that of the build takes dist/ of the project. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dockerfileInstructions, readText, root } from './deployment.js';
import { minimalEnv } from '../process/minimalEnv.js';

export type Image = ReturnType<typeof buildImage>;

const WORKDIR = '/app/';
/** What the build reads (scripts/buildIfStale.js, scripts/writeClientPackage.ts). */
const BUILD_SOURCES = [
  ...['src', 'schema', 'scripts', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'],
  ...['package.json', 'package-lock.json'],
];

/**
 * Makes a folder for each stage. Supports only the instructions that the Dockerfile uses; the Node.js and the Bash of this
 * machine stand for those of the base image.
 */
export function buildImage(top: string) {
  let folder = '';
  let settings: Record<string, string> = {};
  for (const [instruction, rest] of dockerfileInstructions()) {
    if (instruction === 'FROM') {
      const [, stage = 'image'] = rest.split(' AS ');
      folder = join(top, stage);
      settings = {};
      mkdirSync(folder);
    } else if (instruction === 'COPY') {
      copy(rest.split(' '), { top, folder });
    } else if (instruction === 'RUN') {
      run(rest, folder);
    } else {
      settings[instruction] = rest;
    }
  }
  const { ENV = '', USER = '', CMD = '', HEALTHCHECK = '' } = settings;
  const user = Number(USER.split(':')[0]);
  return {
    /** Stands for the image's working directory. */
    folder,
    environment: Object.fromEntries(ENV.split(' ').map((each) => each.split('=') as [string, string])),
    command: (JSON.parse(CMD) as string[]).filter(createOptionFilter(user)),
    healthcheck: JSON.parse(HEALTHCHECK.slice(HEALTHCHECK.indexOf('['))) as string[],
    user,
  };
}

/** Drops V8 options that the Node.js on this machine does not know, which stands in for the image's. */
function createOptionFilter(user: number): (word: string) => boolean {
  const v8Options = execFileSync('node', ['--v8-options'], {
    uid: user,
    gid: user,
    cwd: '/',
    env: minimalEnv,
  }).toString();
  return (word) => {
    const [, option] = /^--(?:no-)?([a-z0-9-]+)/.exec(word) ?? [];
    return option === undefined || v8Options.includes(`--${option} `);
  };
}

function run(command: string, folder: string): void {
  // The dependencies are installed already, and the project is built.
  if (command === 'npm ci') return;
  if (command === 'npm run build') {
    const missing = BUILD_SOURCES.filter((path) => !existsSync(join(folder, path)));
    if (missing.length > 0) throw new Error(`Expected the build stage to copy ${missing.join(', ')}`);
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  }
  // Removes parts of the base image, which has no folder here.
  else if (command.startsWith('rm -rf /usr/local/')) return;
  else execFileSync('sh', ['-c', `(${command}) >&2`], { cwd: folder, stdio: 'pipe', env: minimalEnv });
}

function copy(words: string[], { top, folder }: { top: string; folder: string }): void {
  const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  for (const source of words) {
    const from = stage === undefined ? inContext(source) : join(top, stage, source.slice(WORKDIR.length));
    for (const file of expandPattern(from)) {
      const to = join(folder, target.endsWith('/') ? join(target, basename(file)) : target);
      cpSync(file, to, { recursive: true });
    }
  }
}

/** The files that a path with an asterisk in its last part matches. */
function expandPattern(path: string): string[] {
  const [prefix = '', suffix] = basename(path).split('*');
  if (suffix === undefined) return [path];
  return readdirSync(dirname(path))
    .filter((file) => file.startsWith(prefix) && file.endsWith(suffix))
    .map((file) => join(dirname(path), file));
}

/** A file in the build context: .dockerignore excludes everything and re-includes what the image needs. */
function inContext(path: string): string {
  const [all, ...exceptions] = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || !exceptions.includes(`!${path}`)) throw new Error(`.dockerignore excludes ${path}`);
  return join(root, path);
}
