/** Renders the throughput of every peer as SVG, one panel per workload and number of connections, each with its own scale. */
import { CONNECTIONS } from './measure.js';
import { measuredPeers, type Results } from './report.js';

const workloads = [
  { name: 'R', title: 'Distinct reads' },
  { name: 'M', title: 'Tracking calls' },
  { name: 'P', title: 'Polls of one notification' },
];

const WIDTH = 860;
const PANEL_WIDTH = 420;
const BAR_HEIGHT = 20;
const LABEL_WIDTH = 216;
const MAX_BAR_LENGTH = 145;

export function chart(results: Results): string {
  const peers = measuredPeers(results);
  const panels = workloads
    .flatMap(({ name, title }) =>
      CONNECTIONS.map((connections) => ({
        name: `${name}${connections}`,
        title: `${title}, ${connections} connections`,
      })),
    )
    .filter(({ name }) => peers.some(({ figures }) => `${name}.perSecond` in figures));
  const panelHeight = 44 + peers.length * (BAR_HEIGHT + 6);
  const height = 64 + Math.ceil(panels.length / 2) * panelHeight;
  const drawn = panels.map(({ name, title }, index) => {
    const values = peers.map(({ figures }) => figures[`${name}.perSecond`] ?? 0);
    const max = Math.max(...values, 1);
    const bars = peers.map((peer, row) => {
      const value = values[row] ?? 0;
      const y = 34 + row * (BAR_HEIGHT + 6);
      const length = Math.max(1, (value / max) * MAX_BAR_LENGTH);
      return [
        `<text x="${LABEL_WIDTH - 8}" y="${y + 14}" text-anchor="end">${escape(peer.title)}</text>`,
        `<rect class="${peer.name === 'ours' ? 'ours' : 'other'}" x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="3"/>`,
        `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${y + 14}">${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')}</text>`,
      ].join('');
    });
    const [x, y] = [(index % 2) * (PANEL_WIDTH + 20), 60 + Math.floor(index / 2) * panelHeight];
    return `<g transform="translate(${x} ${y})"><text class="title" x="8" y="20">${title}</text>${bars.join('')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Requests per second on one core">
<style>
svg { font: 12px system-ui, sans-serif; }
text { fill: #1f2328; }
.heading { font-size: 16px; font-weight: 600; }
.title { font-weight: 600; }
.note { fill: #59636e; }
.ours { fill: #0969da; }
.other { fill: #afb8c1; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.note { fill: #9198a1; }
.ours { fill: #4493f8; }
.other { fill: #656c76; }
}
</style>
<text class="heading" x="8" y="24">Requests per second on one core (higher is better)</text>
<text class="note" x="8" y="44">${escape(`${results.date}, ${results.machine}`)}</text>
${drawn.join('\n')}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
