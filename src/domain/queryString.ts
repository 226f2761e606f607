type Scalar = string | number | boolean;
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Whether a value can be sent in a query string. A list becomes one parameter per element. */
export function fitsQuery(value: unknown): value is Scalar | Scalar[] {
  return isScalar(value) || (Array.isArray(value) && value.every(isScalar));
}

/** Appends the parameters as a query string. Their values must satisfy `fitsQuery`. */
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
