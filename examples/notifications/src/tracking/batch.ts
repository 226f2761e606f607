/** The list that is being tracked. It outlives the page that shows it, and its copy in the session storage a reload. */
import { createBatch } from 'shipment-graphql-client/batch';
import { client } from '../apollo';
import type { TrackingSubjectFragment as TrackingSubject, TrackShipmentInput } from '../generated/graphql';
import { TrackShipments } from './operations';

/** What the gateway makes of each row, by its key. */
const subjects = new Map<string, TrackingSubject>();
export const subjectOf = ({ key }: TrackingItem) => subjects.get(key);

let current = create();

function create(inputs?: TrackShipmentInput[]) {
  return createBatch<{ input: TrackShipmentInput }>({
    field: 'trackShipments',
    ...(inputs && { items: inputs.map((input) => ({ input })) }), // without items, the stored list goes on
    storage: sessionStorage,
    async send(items, { dryRun }) {
      const response = await client.mutate({
        mutation: TrackShipments,
        variables: { items, dryRun },
        fetchPolicy: 'no-cache',
        errorPolicy: 'all',
      });
      for (const [index, { idempotencyKey }] of items.entries()) {
        const payload = response.data?.trackShipments?.results[index];
        if (payload) subjects.set(idempotencyKey, payload);
      }
      return response;
    },
  });
}

export const currentBatch = () => current;

/** Starts a list, and checks all of it. */
export function startBatch(inputs: TrackShipmentInput[]): TrackingBatch {
  current = create(inputs);
  void current.check();
  return current;
}

export type TrackingBatch = ReturnType<typeof create>;
export type TrackingItem = ReturnType<TrackingBatch['getSnapshot']>['items'][number];
