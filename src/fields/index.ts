/** The root fields: one entry for each field of the schema. */
import { bulkFieldsOf } from './bulk.js';
import { notificationWrites } from './notificationWrites.js';
import { reads } from './reads.js';
import { shipmentWrites } from './shipments.js';

const singleWrites = { ...notificationWrites, ...shipmentWrites };

export const fields = { Query: reads, Mutation: { ...singleWrites, ...bulkFieldsOf(singleWrites) } };

type Mutations = typeof fields.Mutation;
/** The payload of a mutation field, as its resolvers receive it. */
export type Payload<Field extends keyof Mutations> = Awaited<ReturnType<Mutations[Field]['resolve']>>;

/** The kind of read-back after each mutation field; undefined if nothing can be read back. */
export const readBackKinds = Object.fromEntries(
  Object.entries(singleWrites).map(([name, { operation }]) => [name, operation.readBack]),
);
