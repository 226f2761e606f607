/** How V8 is to work for this program; to be imported before all else, as flags should not change while it collects. */
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

// What large lists leave behind is collected when the heap has doubled: by itself, V8 would let it grow to a multiple.
setFlagsFromString('--heap-growing-percent=100');

// V8 finds out on a second thread what is still in use. Where no core is spare, that thread takes half of this one's
// time for some 50 ms, and calls pile up.
if (cluster.isWorker || availableParallelism() === 1) setFlagsFromString('--no-concurrent-marking');

// Calls of a function before V8 optimises it, a third of its own count, so that full speed comes sooner after a start.
// The V8 of Node 20 does not count them.
if (Number.parseInt(process.versions.v8, 10) >= 12)
  setFlagsFromString('--invocation-count-for-turbofan=1000');
