/** Variables that name a file with the value of another variable: how Docker and Kubernetes provide secrets. */
import { variables } from './variables.js';

/** Its value is a path already: OPERATIONS_MANIFEST_FILE would be mistaken for the manifest itself. */
const WITHOUT_FILE = 'OPERATIONS_MANIFEST';

/** For each variable that names a file, the variable whose value the file has. */
export const fileVariables: ReadonlyMap<string, string> = new Map(
  Object.keys(variables)
    .filter((name) => name !== WITHOUT_FILE)
    .map((name) => [`${name}_FILE`, name]),
);
