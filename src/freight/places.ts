/**
 * Finds the argument that a parameter of a REST call came from: what makes parameters of arguments only moves values, so it is run once more
 * with the paths of the arguments in place of their values.
 */
import { canonicalName, segmentsOf } from './fieldNames.js';
import { GatewayError, withDetails, type ArgumentPath } from '../gatewayError.js';

export type { ArgumentPath };

type ToParameters<Arguments> = (args: Arguments) => Readonly<Record<string, unknown>>;

/** A failure that tells the argument of each field that the service names. `path` is the path of `given`. */
export function located<Arguments extends object>(
  error: unknown,
  given: Arguments,
  path: ArgumentPath = [],
  toParameters: ToParameters<Arguments>,
): unknown {
  let find: ReturnType<typeof createFinder> | undefined;
  return withDetails(error, {
    argumentOf: (field) => (find ??= createFinder(given, path, toParameters))(field),
  });
}

/** An element of a list, or why it could not be loaded: that is about the argument of the element, though elements may share it. */
export function relocated<Element>(element: Element, argument: ArgumentPath): Element | GatewayError {
  if (!(element instanceof GatewayError)) return element;
  const { argumentOf } = element;
  return element.with({ argumentOf: (field) => argumentOf?.(field) && argument });
}

function createFinder<Arguments extends object>(
  given: Arguments,
  path: ArgumentPath,
  toParameters: ToParameters<Arguments>,
): (field: string) => ArgumentPath | undefined {
  const paths = new Map<unknown, ArgumentPath>();
  const parameters = toParameters(withPlaces(given, path, paths) as Arguments);
  const names = new Set(Object.keys(parameters).map(canonicalName));
  return (field) => {
    let place: unknown = parameters;
    let found: ArgumentPath | undefined;
    for (const segment of segmentsOf(field, names)) {
      place = memberOf(place, segment);
      found = paths.get(place) ?? found;
    }
    return found;
  };
}

/** A copy of a value with an object for each of its parts, which has the path of that part. */
function withPlaces(value: unknown, path: ArgumentPath, paths: Map<unknown, ArgumentPath>): unknown {
  if (value === null || value === undefined) return undefined;
  let place: object = {};
  if (Array.isArray(value))
    place = value.map((element, index) => withPlaces(element, [...path, index], paths));
  else if (typeof value === 'object') {
    const members = Object.entries(value);
    place = Object.fromEntries(
      members.map(([name, member]) => [name, withPlaces(member, [...path, name], paths)]),
    );
  }
  paths.set(place, path);
  return place;
}

/** An element by its index, or a member by its name in any spelling. */
function memberOf(place: unknown, segment: string): unknown {
  const name = canonicalName(segment);
  return Object.entries(Object(place) as object).find(([key]) => canonicalName(key) === name)?.[1];
}
