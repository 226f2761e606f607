/** The root fields: one entry for each field of the schema. */
import { bulkFieldsOf } from './bulk.js';
import { notificationWrites } from './notificationWrites.js';
import { reads } from './reads.js';
import { shipmentWrites } from './shipments.js';

const singleWrites = { ...notificationWrites, ...shipmentWrites };

export const fields = { Query: reads, Mutation: { ...singleWrites, ...bulkFieldsOf(singleWrites) } };

type Mutations = typeof fields.Mutation;
/** What the resolvers of the payload of a mutation field receive. */
export type Payload<Field extends keyof Mutations> = Awaited<ReturnType<Mutations[Field]['resolve']>>;

/** What is read back after each mutation field; undefined where nothing can be read. */
export const readBackKinds = Object.fromEntries(
  Object.entries(singleWrites).map(([name, { operation }]) => [name, operation.readBack]),
);
