/** The list that is being tracked. It outlives the page that shows it, and its copy in the session storage a reload. */
import { createBatch } from 'shipment-graphql-client/batch';
import { client } from '../apollo';
import type { TrackShipmentInput } from '../generated/graphql';
import { TrackShipments } from './operations';

let current = create();

function create(inputs?: TrackShipmentInput[]) {
  return createBatch<{ input: TrackShipmentInput }>({
    field: 'trackShipments',
    ...(inputs && { items: inputs.map((input) => ({ input })) }), // without items, the stored list goes on
    storage: sessionStorage,
    send: (items, { dryRun }) =>
      client.mutate({
        mutation: TrackShipments,
        variables: { items, dryRun },
        fetchPolicy: 'no-cache',
        errorPolicy: 'all',
      }),
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
