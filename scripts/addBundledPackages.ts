/**
 * Adds the packages that the bundles contain to a CycloneDX SBOM of the production dependencies: the explorer is built from
 * development dependencies, which that one leaves out.
 *
 * Usage: tsx scripts/addBundledPackages.ts <SBOM file>
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ThirdPartyPackage } from './bundledPackages.js';

interface Sbom {
  components: { purl: string }[];
}

const [file = ''] = process.argv.slice(2);
const bundled = new URL('../dist/third-party-packages.json', import.meta.url);
const sbom = JSON.parse(readFileSync(file, 'utf8')) as Sbom;
const listed = new Set(sbom.components.map(({ purl }) => purl.replace(/[?#].*/, '')));
const added = (JSON.parse(readFileSync(bundled, 'utf8')) as ThirdPartyPackage[])
  .map(componentOf)
  .filter(({ purl }) => !listed.has(purl));
writeFileSync(file, `${JSON.stringify({ ...sbom, components: [...sbom.components, ...added] }, null, 2)}\n`);

/** A component as cyclonedx-npm writes it, with the bundles that contain it. */
function componentOf({ name: fullName, version, license, bundles }: ThirdPartyPackage) {
  const [name = '', group] = fullName.split('/').reverse();
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${name}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name,
    version,
    licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
    properties: bundles.map((bundle) => ({ name: 'shipment-graphql-gateway:bundle', value: bundle })),
  };
}
