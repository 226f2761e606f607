/** Entity representations (Apollo Federation): references from other subgraphs to objects of this one. */
import { z } from 'zod';
import { InputRule } from '../errors.js';
import { requireToken, type RequestClient } from '../freight/endpoint.js';
import { InvalidInputError } from './argumentParser.js';
import { NotificationGuid, rule, violationOf } from './valueSchemas.js';

/** Parses the representation at an index of `representations`; returns the identifier of its notification. */
export type RepresentationParser = (representation: unknown, index: number, client: RequestClient) => string;

/**
 * Creates the parser of representations of notifications, whose type has this name. It throws InvalidInputError, or
 * ServiceError, `tokenMissing`, for one representation only: each entity succeeds or fails independently.
 */
export function createRepresentationParser(typeName: string): RepresentationParser {
  const Representation = z.object({
    __typename: z.string().refine((name) => name === typeName, rule(InputRule.Enum, `"${typeName}"`)),
    notificationGuid: NotificationGuid,
  });
  return (representation, index, client) => {
    requireToken(client);
    const { data, error } = Representation.safeParse(representation);
    if (data !== undefined) return data.notificationGuid;
    throw new InvalidInputError(
      error.issues.map((issue) => ({
        path: ['representations', index, ...issue.path],
        ...violationOf(issue),
      })),
    );
  };
}
