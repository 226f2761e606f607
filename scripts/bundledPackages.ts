/** Lists the packages that a bundle contains, with the texts of their licenses. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

export interface BundledPackage {
  name: string;
  version: string;
  /** SPDX expression. */
  license: string;
  /** License, and notices that have to go with it; undefined if the package contains none. */
  text?: string;
}

/** What dist/third-party-packages.json lists. */
export type ThirdPartyPackage = Omit<BundledPackage, 'text'> & { bundles: string[] };

const PACKAGE_FOLDER = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//s;
/** Also of packages within packages, such as those that an editor contains. */
const LICENSE_FILE = /^(?:license|licence|notice|third-?party-?notices)/i;

/**
 * Writes the list as JSON. A plugin because only the bundler knows which modules it kept; Vite's own `build.license` does
 * not see those of web workers, which need this plugin, too.
 */
export function listBundledPackages(file: string): Plugin {
  const folders = new Set<string>();
  return {
    name: 'list-bundled-packages',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of chunk.moduleIds) {
          const [, folder] = PACKAGE_FOLDER.exec(id) ?? [];
          if (folder !== undefined) folders.add(folder);
        }
      }
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify([...folders].map(readPackage)));
    },
  };
}

function readPackage(folder: string): BundledPackage {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as BundledPackage;
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
  return { name, version, license, ...(texts.length > 0 && { text: texts.join('\n\n') }) };
}
