/** Where the time of a request goes, by a CPU profile: the folders of `src`, the packages, and Node's own parts. */
import { readFileSync } from 'node:fs';
import type { Profiler, Runtime } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Stage {
  name: string;
  microseconds: number;
  /** Its functions, most expensive first, with their files. */
  functions: Pick<Stage, 'microseconds' | 'name'>[];
}

const rootFolder = fileURLToPath(new URL('../', import.meta.url));
const distUrl = new URL('../dist/', import.meta.url).href;

/** The stages of a profile, most expensive first; together they cost as much as a request, in microseconds. */
export function costsByStage(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  microseconds: number,
): Stage[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  /** What is native, or compiled from a text, belongs to the function that called it. */
  const ownerOf = (id: number): Runtime.CallFrame | undefined => {
    const { callFrame } = byId.get(id) ?? {};
    const parent = parents.get(id);
    return callFrame?.url || callFrame?.functionName.startsWith('(') || parent === undefined
      ? callFrame
      : ownerOf(parent);
  };
  const costs = new Map<string, Map<string, number>>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const owner = ownerOf(id);
    if (owner === undefined || owner.functionName === '(idle)' || owner.url === 'node:inspector') continue;
    const own = byId.get(id)?.callFrame.functionName;
    const [stage, file] = placeOf(owner);
    const name = own === owner.functionName ? `${file} ${own}` : `${file} ${owner.functionName} > ${own}`;
    const functions = costs.get(stage) ?? new Map<string, number>();
    costs.set(stage, functions);
    const cost = timeDeltas[index] ?? 0;
    functions.set(name, (functions.get(name) ?? 0) + cost);
    total += cost;
  }
  const scaled = (entries: Iterable<readonly [string, number]>) =>
    [...entries]
      .map(([name, cost]) => ({ name, microseconds: (cost / total) * microseconds }))
      .sort((a, b) => b.microseconds - a.microseconds);
  const sums = [...costs].map(
    ([name, functions]) => [name, [...functions.values()].reduce((a, b) => a + b, 0)] as const,
  );
  return scaled(sums).map((stage) => ({ ...stage, functions: scaled(costs.get(stage.name) ?? []) }));
}

/** The stage of a function, and its file. */
function placeOf(frame: Runtime.CallFrame): [stage: string, file: string] {
  const { functionName } = frame;
  if (functionName.startsWith('(')) return [functionName, ''];
  const url = moduleOf(frame);
  if (url.includes('fakeSockets')) return ['fake sockets', ''];
  const [, builtIn] = /^node:(.*)$/.exec(url) ?? [];
  if (builtIn !== undefined)
    return [
      /^_http|^net$|streams?\b|^events$/.test(builtIn) ? 'Node: HTTP, sockets and streams' : 'Node: others',
      builtIn,
    ];
  const [, packageName, file = ''] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(url) ?? [];
  if (packageName !== undefined) return [`package ${packageName}`, file];
  const path = url.startsWith(rootFolder) ? relative(rootFolder, url) : url;
  return [path.split('/').slice(0, -1).join('/'), path];
}

/** For each file of the bundle, the module of each line. */
const modulesByLine = new Map<string, string[]>();

/** The path of the module that a function comes from: the bundle says it in a comment in front of each module. */
function moduleOf({ url, lineNumber }: Runtime.CallFrame): string {
  if (!url.startsWith(distUrl)) return url;
  const modules = modulesByLine.get(url) ?? readModules(url);
  modulesByLine.set(url, modules);
  return `${rootFolder}${modules[lineNumber]}`;
}

function readModules(url: string): string[] {
  let module = relative(rootFolder, fileURLToPath(url));
  return readFileSync(new URL(url), 'utf8')
    .split('\n')
    .map((line) => (module = /^\/\/ ((?:node_modules|src)\/\S+)$/.exec(line)?.[1] ?? module));
}
