/**
 * Lower bound for a list of notifications: parses its JSON, validates it against the contract and serializes it. Prints
 * the CPU time per notification in microseconds.
 */
import { NotificationEnvelope } from '../src/freight/contract.js';
import { envelopeOf, GUIDS, LIST_LENGTH, recordOf } from './fixtures.js';

const body = Buffer.from(JSON.stringify(envelopeOf(GUIDS.slice(0, LIST_LENGTH).map(recordOf))));
const round = () => JSON.stringify(NotificationEnvelope.parse(JSON.parse(body.toString()))).length;

for (let warmUp = 0; warmUp < 100; warmUp += 1) round();
const before = process.cpuUsage();
const ROUNDS = 300;
for (let measured = 0; measured < ROUNDS; measured += 1) round();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / ROUNDS / LIST_LENGTH);
