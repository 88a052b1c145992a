/* Places, a ring and collectives, as any MPI program has them: one line from rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size, sum = 0, from = -1, node_size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && rank == atoi(argv[1])) MPI_Abort(MPI_COMM_WORLD, 9);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int *all = malloc(sizeof(int) * (size_t)size);
  MPI_Gather(&from, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("size %d, sum %d, on this node %d, ring", size, sum, node_size);
    for (int i = 0; i < size; ++i) printf(" %d", all[i]);
    printf("\n");
  }
  MPI_Finalize();
  return 0;
}
