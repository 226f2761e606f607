/** The gateways that the benchmark compares, and how to start them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './gatewayProcess.js';
import { contractDialect, gatewayDialect, persistedDialect, type Dialect } from './operations.js';

export interface Peer {
  name: PeerName;
  title: string;
  /** Versions of its main packages. */
  version: string;
  runtime: string;
  dialect: Dialect;
  /** Whether each request has an idempotency key of its own. */
  hasKeys?: boolean;
  command: (port: number) => Command;
}

export const peerNames = ['ours', 'bare', 'tailcall', 'apollo', 'hive'] as const;
/** Variants of this gateway: operations sent by their id, mutations with idempotency keys, and a build of another commit. */
export const variantNames = ['byId', 'keyed', 'before'] as const;
export type PeerName = (typeof peerNames)[number] | (typeof variantNames)[number];

export interface PeersOptions {
  upstreamUrl: string;
  /** Folder for generated configuration files. */
  folder: string;
  /** Checkout of another commit, built. */
  before: string | undefined;
  /** Redis that records the keys of the variant `keyed`. */
  redisUrl: string | undefined;
}

const node = process.execPath;
const runtime = `Node ${process.versions.node}`;

export function createPeers(names: readonly PeerName[], options: PeersOptions): Peer[] {
  return names.map((name) => ({ name, ...definitions[name](options) }));
}

const definitions: Record<PeerName, (options: PeersOptions) => Omit<Peer, 'name'>> = {
  ours: (options) => gateway(options, { title: 'This gateway' }),

  byId: (options) => {
    const { dialect, manifest } = persistedDialect(gatewayDialect);
    const file = join(options.folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    return gateway(options, {
      title: 'This gateway, operations by id',
      dialect,
      env: { OPERATIONS_MANIFEST: file },
    });
  },

  keyed: (options) => ({
    ...gateway(options, {
      title: 'This gateway, with idempotency keys',
      env: options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl },
    }),
    hasKeys: true,
  }),

  before: (options) => gateway(options, { title: 'This gateway, before', root: options.before ?? '' }),

  bare: ({ upstreamUrl }) => ({
    title: 'node:http + undici',
    version: versionOf('undici'),
    runtime,
    dialect: gatewayDialect,
    command: (port) => ({
      file: node,
      arguments: [pathOf('peers/bare.mjs')],
      env: { UPSTREAM_URL: upstreamUrl, PORT: String(port) },
    }),
  }),

  tailcall: ({ upstreamUrl, folder }) => ({
    title: 'Tailcall',
    version: versionOf('@tailcallhq/core-linux-x64-gnu'),
    runtime: 'Rust',
    dialect: contractDialect({
      guidType: 'ID',
      trackingType: 'TrackingParameters',
      envelope: (fields) => fields,
      tracked: '',
    }),
    command: (port) => {
      const config = readFileSync(pathOf('peers/tailcall.graphql'), 'utf8');
      const file = join(folder, 'tailcall.graphql');
      writeFileSync(file, config.replaceAll('UPSTREAM_URL', upstreamUrl).replace('PORT', String(port)));
      return {
        file: pathOf('node_modules/.bin/tailcall'),
        arguments: ['start', file],
        env: { TAILCALL_TRACKER: 'false', TC_TRACKER: 'false' },
      };
    },
  }),

  apollo: ({ upstreamUrl }) => ({
    title: 'Apollo Server + RESTDataSource',
    version: `${versionOf('@apollo/server')}, ${versionOf('@apollo/datasource-rest')}`,
    runtime,
    dialect: gatewayDialect,
    command: (port) => ({
      file: node,
      arguments: [pathOf('peers/apollo.mjs')],
      env: { UPSTREAM_URL: upstreamUrl, PORT: String(port) },
    }),
  }),

  hive: ({ upstreamUrl, folder }) => {
    const supergraph = join(folder, 'supergraph.graphql');
    execFileSync(
      node,
      [binOf('@graphql-mesh/compose-cli'), '-c', pathOf('peers/mesh.config.mjs'), '-o', supergraph],
      {
        cwd: folder,
        env: { ...process.env, UPSTREAM_URL: upstreamUrl },
        stdio: 'pipe',
      },
    );
    return {
      title: 'Hive Gateway',
      version: `${versionOf('@graphql-hive/gateway')} with --jit`,
      runtime,
      dialect: contractDialect({
        guidType: 'NonEmptyString',
        trackingType: 'TrackingParameters_Input',
        envelope: (fields) => `... on NotificationEnvelope { ${fields} }`,
        tracked: '{ ... on Tracked_container { Tracked } }',
      }),
      command: (port) => ({
        file: node,
        arguments: [
          binOf('@graphql-hive/gateway'),
          'supergraph',
          supergraph,
          '--jit',
          '--host=127.0.0.1',
          `--port=${port}`,
        ],
      }),
    };
  },
};

/** For the hundred aliased fields of workload B. */
const aliasLimits = { MAX_ALIASES: '100', MAX_MUTATION_FIELDS: '100', MAX_TOKENS: '2000' };

function gateway(
  { upstreamUrl }: PeersOptions,
  {
    title,
    dialect = gatewayDialect,
    root = pathOf('..'),
    env = {},
  }: { title: string; dialect?: Dialect; root?: string; env?: Record<string, string> },
): Omit<Peer, 'name'> {
  return {
    title,
    version: manifestIn(root).version,
    runtime,
    dialect,
    command: (port) => ({
      file: node,
      arguments: [...v8Options(root), join(root, 'dist/main.js')],
      env: { SERVICE_URL: upstreamUrl, PORT: String(port), ...aliasLimits, ...env },
    }),
  };
}

/** The V8 options with which the image starts the gateway, as far as this version of Node.js knows them. */
function v8Options(root: string): string[] {
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  const known = execFileSync(node, ['--v8-options']).toString();
  return (JSON.parse(command) as string[]).filter(
    (word) => word.startsWith('--') && known.includes(word.replace(/^--(?:no-)?/, '').replace(/=.*/, '')),
  );
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function manifestIn(folder: string): { version: string; bin?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestIn>;
}

function versionOf(packageName: string): string {
  return manifestIn(pathOf(`node_modules/${packageName}`)).version.replace(/^v/, '');
}

function binOf(packageName: string): string {
  const [file = ''] = Object.values(manifestIn(pathOf(`node_modules/${packageName}`)).bin ?? {});
  return pathOf(`node_modules/${packageName}/${file}`);
}
