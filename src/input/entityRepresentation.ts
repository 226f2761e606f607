/** The representations of entities, by which other graphs refer to objects of this one. */
import { z } from 'zod';
import { InvalidInputError } from './argumentParser.js';
import { expected, NotificationGuid } from './valueSchemas.js';

const Representation = z.object({
  __typename: z.string().refine((name) => name === 'Notification', { error: expected('"Notification"') }),
  notificationGuid: NotificationGuid,
});

/**
 * The object that one of the `_entities` is to be. Throws an InvalidInputError for this one alone, as each of them
 * succeeds or fails by itself.
 */
export function parseRepresentation(representation: unknown, index: number): z.output<typeof Representation> {
  const { data, error } = Representation.safeParse(representation);
  if (data !== undefined) return data;
  throw new InvalidInputError(
    error.issues.map(({ path, message }) => ({ path: ['representations', index, ...path], message })),
  );
}
