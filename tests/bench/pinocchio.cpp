/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/pinocchio.cpp - Pinocchio's algorithms over an array of states, from headers only. */
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "tests/bench/peer.h"

namespace pin = pinocchio;

struct bench_peer {
    pin::Model model;
    pin::Data data;
    std::vector<Eigen::VectorXd> q, v, a, tau;
    std::vector<int> row;      /* our row -> its row of v, a, tau */
};

static pin::SE3 pose(const tq_pose &p)
{
    pin::SE3 m;
    m.rotation() << p.r[0], p.r[1], p.r[2], p.r[3], p.r[4], p.r[5], p.r[6], p.r[7], p.r[8];
    m.translation() << p.p[0], p.p[1], p.p[2];
    return m;
}

static pin::Inertia inertia(const tq_inertia &i)
{
    Eigen::Matrix3d about;
    const double *s = i.about_com;
    about << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5];
    return pin::Inertia(i.mass, Eigen::Vector3d(i.com[0], i.com[1], i.com[2]), about);
}

/* Axes along a coordinate axis take the specialised joints, as Pinocchio's own URDF reader does. */
static pin::JointModel joint_model(const tq_joint &j)
{
    const Eigen::Vector3d axis(j.axis[0], j.axis[1], j.axis[2]);
    const bool slide = j.kind == TQ_JOINT_PRISMATIC;
    if (j.kind == TQ_JOINT_FLOATING) {
        return pin::JointModelFreeFlyer();
    }
    if (axis == Eigen::Vector3d::UnitX()) {
        return slide ? pin::JointModel(pin::JointModelPX()) : pin::JointModel(pin::JointModelRX());
    }
    if (axis == Eigen::Vector3d::UnitY()) {
        return slide ? pin::JointModel(pin::JointModelPY()) : pin::JointModel(pin::JointModelRY());
    }
    if (axis == Eigen::Vector3d::UnitZ()) {
        return slide ? pin::JointModel(pin::JointModelPZ()) : pin::JointModel(pin::JointModelRZ());
    }
    return slide ? pin::JointModel(pin::JointModelPrismaticUnaligned(axis))
                 : pin::JointModel(pin::JointModelRevoluteUnaligned(axis));
}

static bench_peer *make(const tq_model *m, size_t n_sample, size_t stride, const double *q,
                           const double *qd, const double *qdd, const double *tau)
{
    bench_peer *peer = new bench_peer;
    pin::Model &model = peer->model;
    model.gravity.linear() << m->gravity[0], m->gravity[1], m->gravity[2];
    struct place {
        pin::JointIndex joint;
        pin::SE3 in_joint;
    };
    std::vector<place> links(m->n_link, place{0, pin::SE3::Identity()});
    std::vector<pin::JointIndex> joints(m->n_joint, 0);
    for (uint32_t k = 0; k < m->n_joint; k++) {
        const uint32_t number = m->order[k];
        const tq_joint &j = m->joints[number];
        const place &parent = links[j.parent];
        place child{parent.joint, parent.in_joint * pose(j.origin)};
        if (j.kind != TQ_JOINT_FIXED) {
            child.joint = model.addJoint(parent.joint, joint_model(j), child.in_joint,
                                         "j" + std::to_string(number));
            child.in_joint = pin::SE3::Identity();
            joints[number] = child.joint;
        }
        links[j.child] = child;
        if (m->links[j.child].inertia.mass > 0) {
            model.appendBodyToJoint(child.joint, inertia(m->links[j.child].inertia),
                                    child.in_joint);
        }
    }
    peer->data = pin::Data(model);
    peer->row.assign(m->nv, 0);
    for (size_t i = 0; i < n_sample; i++) {
        Eigen::VectorXd x(model.nq), v(model.nv), a(model.nv), t(model.nv);
        for (uint32_t n = 0; n < m->n_joint; n++) {
            const tq_joint &j = m->joints[n];
            if (joints[n] == 0) {
                continue;
            }
            const int at_q = model.idx_qs[joints[n]], at_v = model.idx_vs[joints[n]];
            for (uint32_t r = 0; r < j.nq; r++) {
                /* quaternions: ours w x y z, theirs x y z w */
                const uint32_t from = j.nq == 7 && r >= 3 ? 3 + (r - 2) % 4 : r;
                x[at_q + (int)r] = q[(j.q_index + from) * stride + i];
            }
            for (uint32_t r = 0; r < j.nv; r++) {
                const size_t at = (j.v_index + r) * stride + i;
                v[at_v + (int)r] = qd[at];
                a[at_v + (int)r] = qdd[at];
                t[at_v + (int)r] = tau[at];
                peer->row[j.v_index + r] = at_v + (int)r;
            }
        }
        peer->q.push_back(x);
        peer->v.push_back(v);
        peer->a.push_back(a);
        peer->tau.push_back(t);
    }
    return peer;
}

static void unmake(bench_peer *peer)
{
    delete peer;
}

static void run(bench_peer *p, bench_kernel kernel)
{
    for (size_t i = 0; i < p->q.size(); i++) {
        switch (kernel) {
        case BENCH_RNEA:
            pin::rnea(p->model, p->data, p->q[i], p->v[i], p->a[i]);
            break;
        case BENCH_ABA_LOCAL:
            pin::aba(p->model, p->data, p->q[i], p->v[i], p->tau[i], pin::Convention::LOCAL);
            break;
        case BENCH_ABA_WORLD:
            pin::aba(p->model, p->data, p->q[i], p->v[i], p->tau[i], pin::Convention::WORLD);
            break;
        case BENCH_CRBA_LOCAL:
            pin::crba(p->model, p->data, p->q[i], pin::Convention::LOCAL);
            break;
        case BENCH_CRBA_WORLD:
            pin::crba(p->model, p->data, p->q[i], pin::Convention::WORLD);
            break;
        case BENCH_REGRESSOR:
            pin::computeJointTorqueRegressor(p->model, p->data, p->q[i], p->v[i], p->a[i]);
            break;
        case BENCH_CORIOLIS:
            pin::computeCoriolisMatrix(p->model, p->data, p->q[i], p->v[i]);
            break;
        case BENCH_DERIVATIVES:
            pin::computeRNEADerivatives(p->model, p->data, p->q[i], p->v[i], p->a[i]);
            break;
        case BENCH_SECOND: /* into tensors of `data`, whose zeros are there */
            pin::ComputeRNEASecondOrderDerivatives(p->model, p->data, p->q[i], p->v[i], p->a[i]);
            break;
        case BENCH_MOMENTUM:
            pin::computeCentroidalMomentum(p->model, p->data, p->q[i], p->v[i]);
            break;
        case BENCH_KERNEL_COUNT:
            break;
        }
    }
}

static double vector_at(const bench_peer *p, bench_kernel kernel, size_t row)
{
    return kernel == BENCH_RNEA ? p->data.tau[p->row[row]] : p->data.ddq[p->row[row]];
}

static double matrix_at(const bench_peer *p, bench_kernel kernel, size_t row, size_t column)
{
    int r = p->row[row], c = p->row[column];
    if (kernel == BENCH_CORIOLIS) {
        return p->data.C(r, c);
    }
    if (kernel == BENCH_DERIVATIVES) {
        return p->data.dtau_dq(r, c);
    }
    if (r > c) { /* crba fills the upper triangle */
        std::swap(r, c);
    }
    return p->data.M(r, c);
}

static double momentum_at(const bench_peer *p, size_t row)
{
    return p->data.hg.toVector()[(int)row];
}

static double second_at(const bench_peer *p, size_t array, size_t i, size_t j, size_t k)
{
    const int f = p->row[i], a = p->row[j], b = p->row[k];
    switch (array) {
    case 0:
        return p->data.d2tau_dqdq(f, a, b);
    case 1:
        return p->data.d2tau_dvdv(f, a, b);
    case 2: /* theirs by q, then by v */
        return p->data.d2tau_dqdv(f, b, a);
    default:
        return p->data.d2tau_dadq(f, a, b);
    }
}

/* the one symbol that the library exports */
extern "C" __attribute__((visibility("default"))) const bench_peer_calls bench_peer_table = {
    "Pinocchio " PINOCCHIO_VERSION ", clang " __clang_version__,
    make,
    unmake,
    run,
    vector_at,
    matrix_at,
    momentum_at,
    second_at,
};
