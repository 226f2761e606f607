const OFFSET_HOURS = -5;
const OFFSET = '-05:00';

/** The service's ISO 8601 format: seven fractional digits and an offset, never `Z`. */
export function timestamp(date: Date): string {
  const local = new Date(date.getTime() + OFFSET_HOURS * 3_600_000).toISOString();
  return `${local.slice(0, -1)}0000${OFFSET}`;
}
