/**
 * Runs before `npm start` and `npm run dev`: builds what is missing, or older than its sources. Plain JavaScript without
 * dependencies, because an installation without development dependencies starts an existing build.
 *
 * Usage: node scripts/buildIfStale.js <build | build:explorer>
 */
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Per script of package.json: files that it writes, and files and folders that it reads. */
const builds = {
  build: {
    outputs: ['dist/index.js', 'dist/schema.graphql', 'dist/main.js', 'dist/explorer-pages/index.html'],
    sources: ['src', 'schema', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
  },
  'build:explorer': {
    outputs: ['dist/explorer-pages/index.html'],
    sources: ['src/explorer', 'package-lock.json'],
  },
};

const script = process.argv[2];
const { outputs, sources } = builds[script];
const missing = outputs.filter((path) => !existsSync(path));
const newer = filesOf(sources.filter((path) => existsSync(path))).find(isNewerThanOutputs);

if (missing.length > 0 || newer !== undefined) {
  const reason = missing.length > 0 ? `${missing[0]} is missing` : `${newer} is newer than dist/`;
  if (missing.length === 0 && !existsSync('node_modules/vite')) {
    console.error(
      `${reason}, but the development dependencies are not installed: starting the existing build`,
    );
  } else {
    console.error(`${reason}: running "npm run ${script}"`);
    execSync(`npm run ${script}`, { stdio: 'inherit' });
  }
}

function isNewerThanOutputs(path) {
  return missing.length === 0 && modifiedAt(path) > Math.min(...outputs.map(modifiedAt));
}

/** The files, and the folders with all that is in them: deleting a file changes its folder. */
function filesOf(paths) {
  return paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file))]
      : [path],
  );
}

function modifiedAt(path) {
  return statSync(path).mtimeMs;
}
