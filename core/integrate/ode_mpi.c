/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_mpi.c - the symbols of MPI that an archive of SUNDIALS with MPI refers to.
 *
 * Its contexts are made without a communicator: only addresses are compared and nothing is called,
 * so that the program needs no MPI. A function here would say that it failed. The linker takes this
 * file only where the archive asks for it; mpi.h is not included, as the types are of no matter. */

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
