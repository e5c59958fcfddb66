// SPDX-License-Identifier: Apache-2.0
//
// A local array per thread, sorted by insertion: indexed local memory.
extern "C" __global__ void sort(int *data)
{
    int a[8];
    int *mine = data + 8 * threadIdx.x;
    for (int i = 0; i < 8; i++)
        a[i] = mine[i];
    for (int i = 1; i < 8; i++) {
        int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
    for (int i = 0; i < 8; i++)
        mine[i] = a[i];
}
