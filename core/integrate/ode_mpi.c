/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_mpi.c - stubs for the MPI symbols that an MPI build of SUNDIALS refers to.
 *
 * Contexts are created without a communicator: only addresses are compared and nothing is called,
 * so the program does not need MPI. A stub returns an error. The linker uses this file only if the
 * archive requires it; mpi.h is not included, since types are irrelevant. */

extern char ompi_mpi_comm_null[], ompi_mpi_double[], ompi_mpi_long[];
char ompi_mpi_comm_null[8], ompi_mpi_double[8], ompi_mpi_long[8];

#define REFUSE(name)                                                                               \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 1;                                                                                  \
    }
REFUSE(MPI_Abort)
REFUSE(MPI_Comm_dup)
REFUSE(MPI_Comm_free)
REFUSE(MPI_Comm_rank)
REFUSE(MPI_Comm_size)
REFUSE(MPI_Op_create)
REFUSE(MPI_Op_free)
REFUSE(MPI_Reduce)
REFUSE(MPI_Type_commit)
REFUSE(MPI_Type_create_resized)
REFUSE(MPI_Type_create_struct)
REFUSE(MPI_Type_free)
REFUSE(MPI_Type_get_extent)
