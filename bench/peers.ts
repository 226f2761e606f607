/** The gateways that the benchmark compares, and how to start them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './gatewayProcess.js';
import { contractDialect, gatewayDialect, persistedDialect, type Dialect } from './operations.js';

export interface Peer {
  name: PeerName;
  title: string;
  /** Versions of its main packages, or of this gateway. */
  versions: string;
  dialect: Dialect;
  /** Whether each request has an idempotency key of its own. */
  hasKeys?: boolean;
  command: (port: number) => Command;
}

export const peerNames = ['ours', 'bare', 'mercurius', 'tailcall', 'apollo', 'hive', 'hiveRouter'] as const;
/** Variants of this gateway: operations sent by their id, mutations with idempotency keys, and a build of another commit. */
export type PeerName = (typeof peerNames)[number] | 'before' | 'byId' | 'keyed' | 'replicated';

export interface PeersOptions {
  upstreamUrl: string;
  /** Folder for generated configuration files. */
  folder: string;
  /** Checkout of another commit, built. */
  before: string | undefined;
  /** Where the variants `keyed` and `replicated` record their keys. */
  redisUrls: { keyed: string; replicated: string };
}

const node = process.execPath;

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

  keyed: (options) => keyed(options, 'This gateway, with idempotency keys', options.redisUrls.keyed, 0),

  replicated: (options) =>
    keyed(options, 'This gateway, with idempotency keys on a replica', options.redisUrls.replicated, 1),

  before: (options) => gateway(options, { title: 'This gateway, before', root: options.before ?? '' }),

  bare: (options) => handWritten(options, 'node:http + undici', 'bare.mjs', ['undici']),

  mercurius: (options) =>
    handWritten(options, 'Mercurius', 'mercurius.mjs', ['mercurius', 'fastify', 'graphql-jit', 'undici']),

  apollo: (options) =>
    handWritten(options, 'Apollo Server + RESTDataSource', 'apollo.mjs', [
      '@apollo/server',
      '@apollo/datasource-rest',
    ]),

  tailcall: ({ upstreamUrl, folder }) => ({
    title: 'Tailcall 1.0.0 (December 2024)',
    versions: versionsOf(['@tailcallhq/core-linux-x64-gnu']),
    dialect: contractDialect({
      guidType: 'ID',
      trackingType: 'TrackingParameters',
      envelope: (fields) => fields,
      tracked: '',
    }),
    command: (port) => {
      const config = readFileSync(pathOf('peers/tailcall.graphql'), 'utf8');
      const file = join(folder, 'tailcall.graphql');
      writeFileSync(file, config.replaceAll('UPSTREAM_URL', upstreamUrl).replaceAll('PORT', String(port)));
      return {
        file: pathOf('node_modules/.bin/tailcall'),
        arguments: ['start', file],
        env: { TAILCALL_TRACKER: 'false', TC_TRACKER: 'false' },
      };
    },
  }),

  hive: (options) => hive(options, { title: 'Hive Gateway', packages: [], flags: ['--jit'] }),

  hiveRouter: (options) =>
    hive(options, {
      title: 'Hive Gateway, router runtime',
      packages: ['@graphql-hive/router-runtime'],
      flags: ['--hive-router-runtime'], // with --jit as well, every field is null and no call is made
    }),
};

/** A program of `peers/` with the schema of this gateway. */
function handWritten(
  { upstreamUrl }: PeersOptions,
  title: string,
  file: string,
  packages: readonly string[],
): Omit<Peer, 'name'> {
  return {
    title,
    versions: versionsOf(packages),
    dialect: gatewayDialect,
    command: (port) => ({
      file: node,
      arguments: [pathOf(`peers/${file}`)],
      env: { UPSTREAM_URL: upstreamUrl, PORT: String(port) },
    }),
  };
}

/** Hive Gateway, with the supergraph composed from the REST contract. */
function hive(
  { upstreamUrl, folder }: PeersOptions,
  { title, packages, flags }: { title: string; packages: readonly string[]; flags: readonly string[] },
): Omit<Peer, 'name'> {
  const supergraph = join(folder, 'supergraph.graphql');
  const compose = [
    binOf('@graphql-mesh/compose-cli'),
    '-c',
    pathOf('peers/mesh.config.mjs'),
    '-o',
    supergraph,
  ];
  if (!existsSync(supergraph))
    execFileSync(node, compose, {
      cwd: folder,
      env: { ...process.env, UPSTREAM_URL: upstreamUrl },
      stdio: 'pipe',
    });
  return {
    title,
    versions: `${versionsOf(['@graphql-hive/gateway', ...packages])}, ${flags.join(' ')}`,
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
        ...flags,
        '--host=127.0.0.1',
        `--port=${port}`,
      ],
    }),
  };
}

function keyed(options: PeersOptions, title: string, redisUrl: string, replicas: number): Omit<Peer, 'name'> {
  const env = { REDIS_URL: redisUrl, REDIS_REPLICAS: String(replicas) };
  return { ...gateway(options, { title, env }), hasKeys: true };
}

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
    versions: manifestIn(root).version,
    dialect,
    command: (port) => ({
      file: node,
      arguments: [...v8Options(root), join(root, 'dist/main.js')],
      env: {
        SERVICE_URL: upstreamUrl,
        PORT: String(port),
        IDEMPOTENCY_STORE: env['REDIS_URL'] === undefined ? 'off' : 'redis',
        ...env,
      },
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

function versionsOf(packages: readonly string[]): string {
  return packages.map((name) => `${name} ${manifestIn(pathOf(`node_modules/${name}`)).version}`).join(', ');
}

function binOf(packageName: string): string {
  const [file = ''] = Object.values(manifestIn(pathOf(`node_modules/${packageName}`)).bin ?? {});
  return pathOf(`node_modules/${packageName}/${file}`);
}
