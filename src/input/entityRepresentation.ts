/** Entity representations (Apollo Federation): references from other subgraphs to objects of this one. */
import { z } from 'zod';
import { InputRule } from '../domain/inputRule.js';
import { requireToken, type RequestClient } from '../service/endpoints.js';
import { InvalidInputError } from './argumentParser.js';
import { NotificationGuid, rule, violationOf } from './valueSchemas.js';

const Representation = z.object({
  __typename: z.string().refine((name) => name === 'Notification', rule(InputRule.Enum, '"Notification"')),
  notificationGuid: NotificationGuid,
});

/**
 * Parses one of the `representations` of `_entities`. Throws InvalidInputError, or TokenMissingError, for this one only:
 * each entity succeeds or fails independently.
 */
export function parseRepresentation(
  representation: unknown,
  index: number,
  client: RequestClient,
): z.output<typeof Representation> {
  requireToken(client);
  const { data, error } = Representation.safeParse(representation);
  if (data !== undefined) return data;
  throw new InvalidInputError(
    error.issues.map((issue) => ({ path: ['representations', index, ...issue.path], ...violationOf(issue) })),
  );
}
