/** Runs a task for each element of a list, so many of them at a time; gives the results in the list's order. */
export async function mapConcurrent<T, Result>(
  limit: number,
  list: readonly T[],
  task: (element: T, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = list.entries();
  const work = async () => {
    for (const [index, element] of left) results[index] = await task(element, index);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
