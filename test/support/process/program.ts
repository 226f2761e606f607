/** Programs as processes of their own, and what they print. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../..', import.meta.url));
const { PATH = '' } = process.env;

export interface Program {
  child: ChildProcess;
  /** Waits until all that it printed matches; fails when it ends before. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** What it has printed up to now on its standard output. */
  output: () => string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Every program that was started, to be ended whatever becomes of its test. */
const children: ChildProcess[] = [];

export function killPrograms(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** Starts the gateway, on any free port unless told otherwise, with nothing else in its environment. */
export function startProgram(environment: Record<string, string> = {}): Program {
  return run(process.execPath, ['--import', 'tsx', 'src/main.ts'], { PORT: '0', ...environment });
}

/** What the gateway logs as soon as it takes requests. */
export const LISTENING = /"msg":"Server listening at (?<origin>http:\/\/127\.0\.0\.1:\d+)"/;

export function run(command: string, args: string[], environment: Record<string, string> = {}): Program {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = new Promise<Awaited<Program['ended']>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    output: () => stdout,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stdout);
          if (match) resolve(match);
        };
        child.stdout.on('data', look);
        ended.then((end) => {
          reject(
            new Error(
              `Expected the program to print ${String(pattern)}, got its end: ${JSON.stringify(end)}`,
            ),
          );
        }, reject);
        look();
      }),
  };
}

/** Reads lines of JSON. */
export function logLines(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Why a test of programs that are not part of Node is to be skipped; undefined where it is to run. */
export function reasonToSkip(...tools: string[]): string | undefined {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
  if (missing.length === 0 || process.env['REQUIRE_ALL'] === '1') return undefined;
  return `It needs ${missing.join(' and ')}, not found here.`;
}
