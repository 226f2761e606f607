/** The list that is being tracked. It outlives the page that shows it, and its copy in the session storage a reload. */
import { createBatch } from 'shipment-graphql-client/batch';
import { createList } from 'shipment-graphql-client/list';
import { client } from '../apollo';
import type { TrackingSubjectFragment as TrackingSubject, TrackShipmentInput } from '../generated/graphql';
import { TrackShipments } from './operations';

/** What the gateway makes of each row, by its key. */
const subjects = new Map<string, TrackingSubject>();
export const subjectOf = ({ key }: TrackingItem) => subjects.get(key);

export const batch = createBatch({
  list: createList<{ input: TrackShipmentInput }>({ name: 'tracking', storage: sessionStorage }),
  field: 'trackShipments',
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

export type TrackingItem = ReturnType<typeof batch.getSnapshot>['items'][number];
