/** The root fields: one entry for each field of the schema. */
import type { z } from 'zod';
import { bulkFieldsOf, type BulkField } from './bulk.js';
import { notificationWrites } from './notificationWrites.js';
import { reads } from './reads.js';
import { shipmentWrites } from './shipments.js';
import type { MutationResolvers, QueryResolvers } from '../generated/resolvers.js';

const singleWrites = { ...notificationWrites, ...shipmentWrites };

export const fields = {
  Query: reads satisfies EntriesOf<QueryResolvers>,
  Mutation: { ...singleWrites, ...bulkFieldsOf(singleWrites) } satisfies EntriesOf<MutationResolvers>,
};

/**
 * The compiler demands an entry for each field, with rules for all of its arguments, and with its result; a bulk field has both from the
 * entry of its single write.
 */
type EntriesOf<Resolvers> = Required<Resolvers> & {
  readonly [Name in keyof Resolvers]-?:
    | BulkField<never, unknown>
    | {
        args: (settings: never) => {
          shape: Record<keyof ArgumentsOf<NonNullable<Resolvers[Name]>>, z.ZodType>;
        };
      };
};

type ArgumentsOf<Resolver> = Parameters<Extract<Resolver, (...args: never) => unknown>>[1];

/** What is read back after each mutation field; undefined where nothing can be read. */
export const readBackKinds = Object.fromEntries(
  Object.entries(singleWrites).map(([name, { operation }]) => [name, operation.readBack]),
);
