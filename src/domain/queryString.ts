/** Parameters in the query of a URL. */

type Scalar = string | number | boolean;
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Whether a value can stand in a query; a list stands for one parameter for each of its elements. */
export function fitsQuery(value: unknown): value is Scalar | Scalar[] {
  return isScalar(value) || (Array.isArray(value) && value.every(isScalar));
}

/** The path with the parameters as its query. Values have to fit a query. */
export function appendQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value].flat()) query.append(name, String(each));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.isWellFormed())
  );
}
