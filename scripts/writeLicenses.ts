/**
 * Merges the lists of packages that the server's and the explorer's build have written: dist/THIRD_PARTY_LICENSES.md for
 * people, dist/third-party-packages.json for the SBOM.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BundledPackage, ThirdPartyPackage } from './bundledPackages.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const BUNDLES = ['server', 'explorer'] as const;

const HEADER = `# Third-party licenses

The packages that the bundled server (\`dist/main.js\`) and the explorer contain. The icon font of
monaco-editor, \`codicon.ttf\`, is by Microsoft, under the license CC-BY-4.0.`;

const packages = new Map<string, BundledPackage & ThirdPartyPackage>();
for (const bundle of BUNDLES) {
  const file = `${dist}packages-${bundle}.json`;
  for (const each of JSON.parse(readFileSync(file, 'utf8')) as BundledPackage[]) {
    const id = `${each.name}@${each.version}`;
    const { bundles } = packages.get(id) ?? { bundles: [] };
    packages.set(id, { ...each, bundles: [...bundles, bundle] });
  }
  rmSync(file);
}

const sorted = [...packages.entries()]
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([, each]) => each);
writeFileSync(`${dist}THIRD_PARTY_LICENSES.md`, `${[HEADER, ...sorted.map(section)].join('\n\n')}\n`);
writeFileSync(
  `${dist}third-party-packages.json`,
  `${JSON.stringify(
    sorted.map(({ name, version, license, bundles }) => ({ name, version, license, bundles })),
    null,
    2,
  )}\n`,
);

function section({ name, version, license, text, bundles }: BundledPackage & ThirdPartyPackage): string {
  return `## ${name} ${version}

License: ${license}. In: ${bundles.join(', ')}.

${text === undefined ? 'The package contains no license text.' : fenced(text)}`;
}

/** Keeps the text as it is: some contain Markdown, or what looks like it. */
function fenced(text: string): string {
  return `\`\`\`\`text\n${text}\n\`\`\`\``;
}
