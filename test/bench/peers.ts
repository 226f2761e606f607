/** The gateways that the benchmark compares, and how to start them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './gatewayProcess.js';
import { contractDialect, gatewayDialect, type Dialect } from './operations.js';

export interface Peer {
  name: PeerName;
  title: string;
  /** Versions of its main packages. */
  version: string;
  runtime: string;
  dialect: Dialect;
  command: (port: number) => Command;
}

export const peerNames = ['ours', 'bare', 'tailcall', 'apollo', 'hive'] as const;
export type PeerName = (typeof peerNames)[number];

export interface PeersOptions {
  upstreamUrl: string;
  /** Folder for generated configuration files. */
  folder: string;
}

const node = process.execPath;
const runtime = `Node ${process.versions.node}`;

export function createPeers(names: readonly PeerName[], options: PeersOptions): Peer[] {
  return names.map((name) => ({ name, ...definitions[name](options) }));
}

const definitions: Record<PeerName, (options: PeersOptions) => Omit<Peer, 'name'>> = {
  ours: ({ upstreamUrl }) => ({
    title: 'This gateway',
    version: manifestIn('../..').version,
    runtime,
    dialect: gatewayDialect,
    command: (port) => ({
      file: node,
      arguments: [pathOf('../../dist/main.js')],
      env: { SERVICE_URL: upstreamUrl, PORT: String(port) },
    }),
  }),

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

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function manifestIn(folder: string): { version: string; bin?: Record<string, string> } {
  return JSON.parse(readFileSync(pathOf(`${folder}/package.json`), 'utf8')) as ReturnType<typeof manifestIn>;
}

function versionOf(packageName: string): string {
  return manifestIn(`node_modules/${packageName}`).version.replace(/^v/, '');
}

function binOf(packageName: string): string {
  const [file = ''] = Object.values(manifestIn(`node_modules/${packageName}`).bin ?? {});
  return pathOf(`node_modules/${packageName}/${file}`);
}
