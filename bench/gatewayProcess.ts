/** Runs a gateway under test in its own process on a dedicated core, and reads its resource usage from /proc. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The gateway under test has a dedicated core; the load generator and the REST service share the other. */
export const GATEWAY_CORE = 0;
export const LOAD_CORE = 1;

export interface Command {
  file: string;
  arguments: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly port: number;
  /** Time from spawning the process to its first correct response. */
  readonly coldStartMs: number;
  /** CPU time used so far, in seconds. */
  cpuSeconds(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  command: (port: number) => Command;
  /** Receives the output of the process. */
  logFile: string;
  folder: string;
  /** Sends a request; throws if the response is wrong or there is none yet. */
  isReady: (port: number) => Promise<unknown>;
}

const START_TIMEOUT_MS = 60_000;
const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const port = await freePort();
  const { file, arguments: args, env } = options.command(port);
  const log = openSync(options.logFile, 'w');
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', String(GATEWAY_CORE), file, ...args], {
    cwd: options.folder,
    env: { PATH: process.env['PATH'], HOME: options.folder, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log, log],
    detached: true, // its own process group, so that descendants are killed, too
  });
  closeSync(log);
  killOnExit(child);
  try {
    await waitUntilReady(child, () => options.isReady(port), startedAt + START_TIMEOUT_MS);
  } catch (cause) {
    kill(child, 'SIGKILL');
    throw new Error(`${file} ${args.join(' ')} did not start:\n${tail(options.logFile)}`, { cause });
  }
  const coldStartMs = performance.now() - startedAt;
  const pids = () => withDescendants(child.pid ?? 0);
  return {
    port,
    coldStartMs,
    cpuSeconds: () => sum(pids().map(cpuTicks)) / TICKS_PER_SECOND,
    residentBytes: () => sum(pids().map(residentBytes)),
    stop: () => stop(child),
  };
}

/** Kills the process group when this process exits. */
export function killOnExit(child: ChildProcess): void {
  const onExit = () => kill(child, 'SIGKILL');
  process.on('exit', onExit);
  child.once('exit', () => process.off('exit', onExit));
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), 5000);
  await exited;
  clearTimeout(timer);
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process group has already exited.
  }
}

async function waitUntilReady(
  child: ChildProcess,
  isReady: () => Promise<unknown>,
  deadline: number,
): Promise<void> {
  for (;;) {
    try {
      await isReady();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await sleep(5);
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function withDescendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread));
  return [pid, ...children.flatMap(withDescendants)];
}

function childrenOf(pid: number, thread: string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // The thread has ended.
  }
}

/** User and kernel time of all threads: fields 14 and 15 of proc_pid_stat(5); the split skips the name, which may contain spaces. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-20).join('\n');
}
