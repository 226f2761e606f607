/**
 * The least that a list of notifications takes: its JSON read, held against the contract, and written. Prints the
 * processor's time for each notification in microseconds.
 */
import { NotificationEnvelope } from '../../src/service/contract.js';
import { envelopeOf, GUIDS, LIST_LENGTH, recordOf } from './fixtures.js';

const body = Buffer.from(JSON.stringify(envelopeOf(GUIDS.slice(0, LIST_LENGTH).map(recordOf))));
const round = () => JSON.stringify(NotificationEnvelope.parse(JSON.parse(body.toString()))).length;

for (let warmUp = 0; warmUp < 100; warmUp += 1) round();
const before = process.cpuUsage();
const ROUNDS = 300;
for (let counted = 0; counted < ROUNDS; counted += 1) round();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / ROUNDS / LIST_LENGTH);
