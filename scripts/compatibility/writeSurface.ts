/** Writes docs/public-surface.json. Usage: npm run surface */
import { writeFileSync } from 'node:fs';
import { formatSurface, readPublicSurface, SURFACE_FILE } from './publicSurface.js';

writeFileSync(SURFACE_FILE, await formatSurface(await readPublicSurface()));
